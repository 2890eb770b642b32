#include "libpool/policies/placement/least_busy.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace libpool {

namespace {

duration busy(const estimate_record& record) noexcept {
  return record.account + record.charged;
}

} // namespace

least_busy::least_busy(const estimate_options& options)
  : estimating_placement(options) {
  // nop
}

void least_busy::joined(worker& worker, instant now) noexcept {
  std::optional<duration> smallest;
  for (auto* some : {&offered_, &others_})
    if (const auto* first = first_of(*some, now))
      smallest = std::min(smallest.value_or(duration::max()), busy(*first));
  estimating_placement::joined(worker, now);
  auto& its = record_of(worker);
  its.account = smallest.value_or(duration{0});
  sort_in(its, false);
}

void least_busy::left(worker& worker, instant now) noexcept {
  place_of(record_of(worker)).remove(worker);
  estimating_placement::left(worker, now);
}

/// Returns the heap that has the worker: the heap of offered workers, or of the
/// others.
least_busy::sorted&
least_busy::place_of(const estimate_record& record) noexcept {
  return record.group == 0 ? others_ : offered_;
}

void least_busy::sort_in(estimate_record& record, bool is_offered) noexcept {
  auto group = is_offered ? std::size_t{1} : std::size_t{0};
  if (record.group != group)
    place_of(record).remove(*record.worker);
  record.group = group;
  record.key = busy(record).count();
  place_of(record).put(*record.worker, record.key);
}

void least_busy::entered(estimate_record& record) noexcept {
  sort_in(record, true);
}

void least_busy::withdrew(estimate_record& record) noexcept {
  sort_in(record, false);
}

void least_busy::changed(estimate_record& record) noexcept {
  sort_in(record, record.group != 0);
}

/// Updates the position of the worker for the current time.
void least_busy::refresh(estimate_record& record, instant now) noexcept {
  if (overran(record, now))
    changed(record);
}

/// Returns the worker that has worked for the least time; nullptr if there is
/// none. Updates of charges only make keys larger, so only the first worker
/// needs an update.
estimate_record* least_busy::first_of(const sorted& some,
                                      instant now) noexcept {
  while (!some.empty() && overran(record_of(some.top()), now))
    changed(record_of(some.top()));
  return some.empty() ? nullptr : &record_of(some.top());
}

worker* least_busy::best(instant now) noexcept {
  auto* first = first_of(offered_, now);
  return first == nullptr ? nullptr : first->worker;
}

worker* least_busy::best_of(const std::vector<worker*>& some,
                            instant now) noexcept {
  for (auto* worker : some)
    refresh(record_of(*worker), now);
  auto less_busy = [](const worker* x, const worker* y) {
    return smaller_key{}(record_of(*x), record_of(*y));
  };
  return *std::min_element(some.begin(), some.end(), less_busy);
}

} // namespace libpool
