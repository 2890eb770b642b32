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
make(const element& from, const libpool::chosen<libpool::gather_plan>& how) {
  try {
    return how.make();
  } catch (const libpool::option_error& why) {
    from.fail(why.reason());
  }
}

} // namespace

void read_gather(const element& root, scenario& to) {
  auto from = root.find("gather");
  if (!from)
    return;
  libpool::chosen<libpool::gather_plan> how{
    policy_name(*from, names_of(libpool::gathering_policies()))};
  auto options = how.options();
  auto splits = how.make()->asks().to == libpool::scatter::target::parts;
  // Not a temporary, because gcc 12 warns that a temporary variant may be
  // uninitialized if it is moved.
  const libpool::option parts{"parts",
                              libpool::count_option{to.parts, 1, most_tasks},
                              "number of parts of a message"};
  if (splits)
    options.push_back(parts);
  read_options(*from, how.name(), options);
  to.gather = make(*from, how);
  if (!splits && to.how.placement.entry().asks == libpool::asked::key)
    from->fail(std::string{how.name()}
               + " chooses the workers itself and cannot be combined with "
                 "consistent_hash");
}

} // namespace poolsim
