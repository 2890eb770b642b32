#include "libpool/policies/catalogue.hpp"

#include "libpool/policies/fifo.hpp"
#include "libpool/policies/least_used.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

template <class Seam, class Policy, class Options>
std::unique_ptr<Seam> plain(const Options&) {
  return std::make_unique<Policy>();
}

/// The entry of that name; otherwise the error says which there are.
template <class Entry>
const Entry& entry_named(const std::vector<Entry>& all, std::string_view name,
                         const std::string& kind) {
  for (const auto& each : all)
    if (each.name == name)
      return each;
  std::string choices;
  for (const auto& each : all)
    choices += (choices.empty() ? "" : ", ") + std::string{each.name};
  throw std::invalid_argument(kind + ": unknown " + kind + " '"
                              + std::string{name} + "', choose from: "
                              + choices);
}

std::string name_of(assignment how) {
  return how == assignment::lazy ? "lazy" : "eager";
}

bool is_shared_queue(const recipe& how) {
  return how.order == "fifo" && how.placement == "least_used"
         && how.assignment == assignment::lazy;
}

/// Throws if the part needs another assignment.
void check_assignment(const policy_entry& part,
                      std::optional<assignment> needed, assignment is) {
  if (needed && *needed != is)
    throw std::invalid_argument("assignment: " + std::string{part.name}
                                + " needs tasks to be bound "
                                + name_of(*needed) + ", not " + name_of(is));
}

} // namespace

const std::vector<policy_entry>& direct_policies() {
  static const std::vector<policy_entry> entries{
    {"round_robin", "each worker in turn"},
    {"random", "a worker drawn uniformly, from a seed"},
    {"broadcast", "every worker; the client sees the first answer"},
    {"split_join", "a task per worker, the results joined into one answer"},
  };
  return entries;
}

const std::vector<order_entry>& orders() {
  static const std::vector<order_entry> entries{
    {{"fifo", "first come, first served"},
     {},
     std::nullopt,
     plain<order, fifo, order_options>},
  };
  return entries;
}

const std::vector<placement_entry>& placements() {
  static const std::vector<placement_entry> entries{
    {{"least_used", "the fewest tasks in flight"},
     {},
     std::nullopt,
     false,
     plain<placement, least_used, placement_options>},
  };
  return entries;
}

const std::vector<managed_entry>& managed_policies() {
  static const std::vector<managed_entry> entries{
    {{"shared_queue", "one queue; an idle worker takes the next"},
     {"fifo", {}, "least_used", {}, assignment::lazy}},
  };
  return entries;
}

const order_entry& order_named(std::string_view name) {
  return entry_named(orders(), name, "order");
}

const placement_entry& placement_named(std::string_view name) {
  return entry_named(placements(), name, "placement");
}

const managed_entry& managed_policy_named(std::string_view name) {
  return entry_named(managed_policies(), name, "policy");
}

assignment assignment_of(const recipe& how) {
  return how.assignment.value_or(
    order_named(how.order).needs.value_or(assignment::eager));
}

std::size_t default_window(const recipe& how, std::size_t seats) {
  auto has_no_second = is_shared_queue(how)
                       || order_named(how.order).needs == assignment::lazy;
  return has_no_second ? seats : std::max<std::size_t>(2, seats);
}

composition compose(const recipe& how) {
  const auto& order = order_named(how.order);
  const auto& placement = placement_named(how.placement);
  auto when = assignment_of(how);
  check_assignment(order, order.needs, when);
  check_assignment(placement, placement.needs, when);
  composition result;
  result.order = order.make(how.order_with);
  result.placement = placement.make(how.placement_with);
  result.assignment = when;
  return result;
}

} // namespace libpool
