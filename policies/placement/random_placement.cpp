#include "libpool/policies/placement/random_placement.hpp"

#include <memory>
#include <utility>

namespace libpool {

std::vector<option> options_in(draw_options& options) {
  return {{"seed", seed_option{&options.seed}, "seed of the random draws"}};
}

std::unique_ptr<random_placement::record>
random_placement::make_record() const {
  return std::make_unique<record>();
}

void random_placement::joined(worker& worker, instant) noexcept {
  worker.placed = make_record();
}

void random_placement::left(worker& worker, instant) noexcept {
  worker.placed = nullptr;
}

void random_placement::offered(worker& worker, instant) noexcept {
  static_cast<record&>(*worker.placed).place = offered_.size();
  offered_.push_back(&worker);
}

void random_placement::withdrawn(worker& worker, instant) noexcept {
  auto place = static_cast<record&>(*worker.placed).place;
  static_cast<record&>(*offered_.back()->placed).place = place;
  offered_[place] = offered_.back();
  offered_.pop_back();
}

void random_placement::assigned(worker&, task&, instant) noexcept {
  draw();
}

void random_placement::unassigned(worker&, task&, instant) noexcept {
  // Not all of these placements use this event.
}

worker* random_placement::choose(const task&, instant now) noexcept {
  return offered_.empty() ? nullptr : pick(offered_, now);
}

worker* random_placement::choose_among(const std::vector<worker*>& some,
                                       const task&, instant now) noexcept {
  return pick(some, now);
}

std::pair<worker*, worker*>
random_placement::two_of(const std::vector<worker*>& some) const noexcept {
  auto first = one_of(some.size());
  if (some.size() == 1)
    return {some[first], some[first]};
  auto second = splitmix64::scaled(second_, some.size() - 1);
  if (second >= first)
    ++second;
  return {some[first], some[second]};
}

} // namespace libpool
