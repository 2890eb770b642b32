#include "libpool/actors/managed/leases.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

namespace {

using std::chrono::microseconds;

/// What a lease may take, and what it may take before others take over.
constexpr duration longest = microseconds{50};
constexpr duration overdue = microseconds{1000};

} // namespace

void leases::fill(lease& filled, duration service, instant now) {
  filled.begin(now, later(now, longest));
  take_back_overdue(now);
  auto size = size_of(waiting_.size() + 1, service); // with the task
  while (filled.size() < size) {
    auto next = waiting_.take();
    filled.add({next.element.release(), next.place, next.came, {}, {}});
  }
  if (filled.left() == 0)
    return;
  out_.push_back(filled);
  ++count_;
}

/// Of so many messages that wait.
std::size_t leases::size_of(std::size_t waiting, duration service) noexcept {
  if (service <= duration{0})
    return 1; // nobody knows yet how long tasks take
  auto in_time = static_cast<std::size_t>(longest / service);
  return std::clamp<std::size_t>(std::min(in_time, waiting / 2), 1,
                                 lease::most);
}

bool leases::share() {
  while (!out_.empty()) {
    auto& oldest = out_.front();
    if (auto left = oldest.left(); left > 0)
      take_back(oldest, (left + 1) / 2);
    if (oldest.left() == 0)
      out_.pop_front();
    if (!waiting_.empty())
      return true;
  }
  return false;
}

void leases::take_back_all() {
  while (!out_.empty()) {
    take_back(out_.front());
    out_.pop_front();
  }
}

/// A lease that takes longer than it was meant to has a task that is long.
void leases::take_back_overdue(instant now) {
  while (!out_.empty() && later(out_.front().since(), overdue) < now) {
    take_back(out_.front());
    out_.pop_front();
  }
}

void leases::take_back(lease& from, std::size_t n) {
  from.take_back(n, [this](const lease::entry& each) {
    waiting_.put_back(
      {caf::mailbox_element_ptr{each.message}, each.came, each.place});
  });
}

} // namespace libpool
