#include "libpool/actors/managed/leases.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace libpool {

void leases::fill(worker_lease& filled, waiting_line& from, duration service,
                  instant now) {
  // A lease that takes longer than it was meant to has a task that is long.
  constexpr duration overdue = std::chrono::milliseconds{1};
  filled.begin(now, later(now, longest_));
  while (!out_.empty() && later(out_.front().since(), overdue) < now)
    come_in(out_.front());
  auto size = size_of(from.messages.size() + 1, service); // with the task
  while (filled.size() < size) {
    auto next = waiting_.take(from);
    filled.add({next.element.release(), next.place, next.came, {}, {}});
  }
  if (filled.left() == 0)
    return;
  filled.from = &from;
  ++from.leases;
  out_.push_back(filled);
  ++count_;
}

/// Of so many messages that wait.
std::size_t leases::size_of(std::size_t waiting,
                            duration service) const noexcept {
  if (service <= duration{0})
    return 1; // nobody knows yet how long tasks take
  auto in_time = static_cast<std::size_t>(longest_ / service);
  return std::clamp<std::size_t>(std::min(in_time, waiting / 2), 1,
                                 lease::most);
}

bool leases::share() {
  while (!out_.empty()) {
    auto& oldest = out_.front();
    if (auto left = oldest.left(); left > 0)
      take_back(oldest, (left + 1) / 2);
    if (oldest.left() == 0)
      come_in(oldest);
    if (!waiting_.empty())
      return true;
  }
  return false;
}

void leases::take_back_all() {
  while (!out_.empty())
    come_in(out_.front());
}

/// All of it that is left waits again.
void leases::come_in(worker_lease& from) {
  take_back(from, lease::most);
  out_.erase(out_.iterator_to(from));
}

void leases::ended(worker_lease& with) {
  if (with.hook.is_linked())
    come_in(with);
  if (auto* line = std::exchange(with.from, nullptr))
    waiting_.lease_ended(*line);
}

void leases::take_back(worker_lease& from, std::size_t n) {
  from.take_back(n, [&](const lease::entry& each) {
    waiting_.put_back(*from.from, {caf::mailbox_element_ptr{each.message},
                                   each.came, each.place});
  });
}

} // namespace libpool
