#include "reading_options.hpp"
#include "reading_parts.hpp"

#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/requirement.hpp"

#include <memory>
#include <string>

namespace poolsim {

namespace {

/// The error names the option.
std::unique_ptr<libpool::gather_plan>
make(const element& element,
     const libpool::chosen<libpool::gather_plan>& chosen) {
  try {
    return chosen.make();
  } catch (const libpool::option_error& why) {
    element.fail(why.reason());
  }
}

} // namespace

void read_gather(const element& root, scenario& scenario) {
  auto element = root.find("gather");
  if (!element)
    return;
  libpool::chosen<libpool::gather_plan> chosen{
    policy_name(*element, names_of(libpool::gathering_policies()))};
  auto options = chosen.options();
  auto splits = chosen.make()->asks().to == libpool::scatter::target::parts;
  // Not a temporary, because gcc 12 warns that a temporary variant may be
  // uninitialized if it is moved.
  const libpool::option parts{
    "parts", libpool::count_option{scenario.parts, 1, most_tasks},
    "number of parts of a message"};
  if (splits)
    options.push_back(parts);
  read_options(*element, chosen.name(), options);
  scenario.gather = make(*element, chosen);
  if (!splits && scenario.how.placement.entry().asks == libpool::asked::key)
    element->fail(std::string{chosen.name()}
                  + " chooses the workers itself and cannot be combined with "
                    "consistent_hash");
}

} // namespace poolsim
