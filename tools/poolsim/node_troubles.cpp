#include "node_troubles.hpp"

#include "one_way.hpp"

#include <algorithm>

namespace poolsim {

node_troubles::node_troubles(const std::vector<node_loss>& all,
                             std::uint64_t seed, std::size_t node,
                             duration joins)
  : seed_(seed), node_(node) {
  for (const auto& each : all) {
    course added;
    added.of = &each;
    added.entry = all_.size();
    added.next = each.at ? std::max(*each.at, joins)
                         : after(joins, gap_of(added));
    all_.push_back(added);
  }
}

duration node_troubles::gap_of(const course& plan) const {
  return plan.of->every.choose(
    bits_for(seed_, draw_use::loss, plan.entry, node_, plan.count));
}

duration node_troubles::next() const noexcept {
  auto result = duration::max();
  for (const auto& each : all_)
    result = std::min(result, each.next);
  return result;
}

std::optional<node_troubles::change> node_troubles::take(duration now) {
  auto found = std::min_element(
    all_.begin(), all_.end(),
    [](const course& x, const course& y) { return x.next < y.next; });
  if (found == all_.end() || found->next > now)
    return std::nullopt;
  found->is_on = !found->is_on;
  if (found->is_on) {
    ++found->count;
    found->next = found->of->lasts ? after(found->next, *found->of->lasts)
                                   : duration::max();
  } else {
    found->next = found->of->at ? duration::max()
                                : after(found->next, gap_of(*found));
  }
  return change{found->of->is, found->is_on};
}

} // namespace poolsim
