#include "libpool/policies/fifo.hpp"

namespace libpool {

namespace {

/// Whether `what` may follow what is in `queue`.
bool belongs_behind(const task_list& queue, const task& what) noexcept {
  return queue.empty() || queue.back().number < what.number;
}

/// The one of both that goes first; either may be nullptr.
task* first_of(task* x, task* y) noexcept {
  if (x == nullptr || y == nullptr)
    return x == nullptr ? y : x;
  return goes_before{}(*x, *y) ? x : y;
}

} // namespace

void fifo::added(task& what, instant) noexcept {
  auto& queue = fresh(what);
  if (belongs_behind(queue, what))
    queue.push_back(what);
  else
    returned_.insert(what);
}

void fifo::removed(task& what, instant) noexcept {
  if (what.place_hook.is_linked()) {
    returned_.erase(returned_.iterator_to(what));
  } else {
    auto& queue = fresh(what);
    queue.erase(queue.iterator_to(what));
  }
}

task* fifo::choose(instant) noexcept {
  auto& queue = urgent_.empty() ? normal_ : urgent_;
  auto* next = queue.empty() ? nullptr : &queue.front();
  return returned_.empty() ? next : first_of(&*returned_.begin(), next);
}

} // namespace libpool
