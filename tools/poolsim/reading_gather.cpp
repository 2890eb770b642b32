#include "reading_options.hpp"
#include "reading_parts.hpp"

#include "libpool/policies/requirement.hpp"

#include <algorithm>
#include <utility>

namespace poolsim {

namespace {

using libpool::gather_entry;
using libpool::gather_settings;
using target = libpool::scatter::target;

/// A time, or `{"percentile": …}`.
libpool::hedge_delay read_delay(const element& from) {
  if (!from.is_object())
    return from.time_above_zero();
  from.expect_keys({"percentile"});
  auto rank = from.at("percentile");
  auto result = rank.factor();
  if (result >= 100)
    rank.fail("must be below 100");
  return libpool::percentile{result};
}

double read_budget(const element& from) {
  auto result = from.factor();
  if (result > 100)
    from.fail("must be at most 100");
  return result;
}

/// Of the options that poolsim knows how to read, an entry takes those that the
/// catalogue lists for it.
std::vector<option_reader> options_of(const gather_entry& entry,
                                      gather_settings& to) {
  std::vector<option_reader> all{
    {"asked",
     [&](const element& from) { to.asked = from.count(1, most_workers); }},
    {"needed",
     [&](const element& from) { to.needed = from.count(1, most_workers); }},
    {"timeout",
     [&](const element& from) { to.timeout = from.time_above_zero(); }},
    {"join_what_came",
     [&](const element& from) { to.join_what_came = from.truth(); }},
    {"after", [&](const element& from) { to.after = read_delay(from); }},
    {"budget", [&](const element& from) { to.budget = read_budget(from); }},
  };
  auto is_other = [&](const option_reader& each) {
    const auto& known = entry.options;
    return std::find(known.begin(), known.end(), each.name) == known.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_other), all.end());
  return all;
}

/// The error names the option.
std::unique_ptr<libpool::gather_plan> make(const element& from,
                                           const gather_entry& entry,
                                           const gather_settings& how) {
  try {
    return entry.make(how);
  } catch (const libpool::option_error& why) {
    from.fail(why.reason());
  }
}

} // namespace

void read_gather(const element& root, scenario& to) {
  auto from = root.find("gather");
  if (!from)
    return;
  const auto& entry = libpool::gathering_policy_named(
    policy_name(*from, names_of(libpool::gathering_policies())));
  gather_settings how;
  auto known = options_of(entry, how);
  auto splits = entry.make(how)->asks().to == target::parts;
  if (splits)
    known.push_back({"parts", [&](const element& parts) {
                       to.parts = parts.count(1, most_tasks);
                     }});
  read_options(*from, entry.name, known);
  to.gather = make(*from, entry, how);
  if (!splits && to.how.placement == "consistent_hash")
    from->fail(std::string{entry.name}
               + " chooses workers itself: consistent_hash means nothing to "
                 "it");
}

} // namespace poolsim
