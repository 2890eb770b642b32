#pragma once

#include "libpool/core/worker.hpp"
#include "libpool/policies/order/object_heap.hpp"
#include "libpool/policies/placement/tie_rule.hpp"

#include <cstddef>

namespace libpool {

/// Rule of the heaps of workers. Among workers with equal keys, the one that
/// `wins_tie` prefers goes first. When a worker moves up in the heap, the data
/// that the next assignment of a task changes is prefetched: the worker, its
/// records and its last task.
struct worker_heap_rule {
  /// Whether `x` goes before `y` if both have the same key: the worker with
  /// fewer tasks in flight goes first, then the worker chosen less recently.
  static bool goes_first(const worker& x, const worker& y) noexcept {
    return wins_tie{}(x, y);
  }

  /// Called when the worker moves up to `depth` in the heap; depth 0 is the
  /// top. Prefetches the data that the assignment of a task to the worker
  /// changes.
  static void rose(const worker& worker, std::size_t depth) noexcept {
    if (depth == 3)
      fetch_worker(worker);
    else if (depth == 2)
      fetch_tasks(worker);
  }

private:
  [[gnu::always_inline]] static void
  fetch_worker(const worker& worker) noexcept {
    __builtin_prefetch(&worker.number);
    __builtin_prefetch(&worker.mailbox);
    __builtin_prefetch(&worker.booked);
    __builtin_prefetch(&worker.rest_hook);
  }

  [[gnu::always_inline]] static void
  fetch_tasks(const worker& worker) noexcept {
    __builtin_prefetch(worker.placed.get());
    __builtin_prefetch(worker.booked.get());
    if (!worker.mailbox.empty())
      __builtin_prefetch(&worker.mailbox.back().list_hook);
    if (!worker.deque.empty())
      __builtin_prefetch(&worker.deque.front());
  }
};

/// Heap of workers, sorted by key, the smallest first. Among equal keys, the
/// worker with the fewest tasks in flight goes first, see `wins_tie`.
template <class Key>
using worker_heap = object_heap<worker, Key, worker_heap_rule>;

} // namespace libpool
