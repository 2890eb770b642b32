#include "libpool/policies/drawing.hpp"

#include <memory>
#include <utility>

namespace libpool {

std::vector<option> options_in(draw_options& options) {
  return {{"seed", seed_option{&options.seed}, "seed of the random draws"}};
}

std::unique_ptr<drawing::record> drawing::make_record() const {
  return std::make_unique<record>();
}

void drawing::joined(worker& who, instant) noexcept {
  who.placed = make_record();
}

void drawing::left(worker& who, instant) noexcept {
  who.placed = nullptr;
}

void drawing::offered(worker& who, instant) noexcept {
  static_cast<record&>(*who.placed).place = offered_.size();
  offered_.push_back(&who);
}

void drawing::withdrawn(worker& who, instant) noexcept {
  auto place = static_cast<record&>(*who.placed).place;
  static_cast<record&>(*offered_.back()->placed).place = place;
  offered_[place] = offered_.back();
  offered_.pop_back();
}

void drawing::assigned(worker&, task&, instant) noexcept {
  draw();
}

void drawing::unassigned(worker&, task&, instant) noexcept {
  // What becomes of tasks does not matter to all of them.
}

worker* drawing::choose(const task&, instant now) noexcept {
  return offered_.empty() ? nullptr : pick(offered_, now);
}

worker* drawing::choose_among(const std::vector<worker*>& some, const task&,
                              instant now) noexcept {
  return pick(some, now);
}

std::pair<worker*, worker*>
drawing::two_of(const std::vector<worker*>& some) const noexcept {
  auto first = one_of(some.size());
  if (some.size() == 1)
    return {some[first], some[first]};
  auto second = splitmix64::scaled(second_, some.size() - 1);
  if (second >= first)
    ++second;
  return {some[first], some[second]};
}

} // namespace libpool
