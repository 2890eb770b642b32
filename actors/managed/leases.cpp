#include "libpool/actors/managed/leases.hpp"

#include <utility>

namespace libpool {

void leases::fill(worker_lease& filled, instant came, waiting_line& from,
                  duration service, instant now) {
  filled.begin(came, now, later(now, longest_));
  auto size = lease_size::of(from.messages.size() + 1, service,
                             longest_); // and the task
  while (filled.size() < size && !from.messages.empty()
         && from.messages.first_follows()) {
    auto next = waiting_.take(from);
    filled.add({next.element.release(), next.place}, next.came);
  }
  if (filled.left() == 0)
    return;
  filled.from = &from;
  ++from.leases;
  untold_messages_ += filled.unknown();
  out_.push_back(filled);
  if (!filled.untold_hook.is_linked())
    untold_.push_back(filled);
  ++count_;
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
  from.take_back(n, [&](const lease::entry& each, instant came) {
    --untold_messages_;
    waiting_.put_back(
      *from.from, {caf::mailbox_element_ptr{each.message}, came, each.place});
  });
}

} // namespace libpool
