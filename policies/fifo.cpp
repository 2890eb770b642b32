#include "libpool/policies/fifo.hpp"

namespace libpool {

namespace {

/// Whether the task may be appended to the queue.
bool belongs_behind(const task_list& queue, const task& task) noexcept {
  return queue.empty() || queue.back().number < task.number;
}

/// Returns the task that goes first; either may be nullptr.
task* first_of(task* x, task* y) noexcept {
  if (x == nullptr || y == nullptr)
    return x == nullptr ? y : x;
  return goes_before{}(*x, *y) ? x : y;
}

/// Prefetches the members of the next task that the dispatcher needs.
[[gnu::always_inline]] inline void prefetch_next(const task& task) noexcept {
  __builtin_prefetch(&task.place_hook);
  __builtin_prefetch(&task.list_hook);
  __builtin_prefetch(&task.where);
}

} // namespace

void fifo::added(task& task, instant) noexcept {
  auto& queue = fresh(task);
  if (belongs_behind(queue, task))
    queue.push_back(task);
  else
    returned_.insert(task);
}

void fifo::removed(task& task, instant) noexcept {
  if (task.place_hook.is_linked()) {
    returned_.erase(returned_.iterator_to(task));
  } else {
    auto& queue = fresh(task);
    queue.erase(queue.iterator_to(task));
    if (!queue.empty())
      prefetch_next(queue.front());
  }
}

task* fifo::choose(instant) noexcept {
  auto& queue = urgent_.empty() ? normal_ : urgent_;
  auto* next = queue.empty() ? nullptr : &queue.front();
  return returned_.empty() ? next : first_of(&*returned_.begin(), next);
}

} // namespace libpool
