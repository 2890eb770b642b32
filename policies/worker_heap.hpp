#pragma once

#include "libpool/core/worker.hpp"
#include "libpool/policies/object_heap.hpp"
#include "libpool/policies/tie_rule.hpp"

#include <cstddef>

namespace libpool {

/// Rule for heaps of workers: among equal keys the tie rule decides. Assigning
/// a task to a worker changes the worker, its records and the last task of the
/// worker; these are prefetched while the worker rises to the top.
struct worker_heap_rule {
  /// Whether `x` goes before `y` if both have the same key.
  static bool goes_first(const worker& x, const worker& y) noexcept {
    return wins_tie{}(x, y);
  }

  /// Prefetches what an assignment to the worker changes, as the worker rises.
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
      __builtin_prefetch(&worker.deque.begin()->place_hook);
  }
};

/// Heap of workers by key, the smallest first, then by the tie rule.
template <class Key>
using worker_heap = object_heap<worker, Key, worker_heap_rule>;

} // namespace libpool
