#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/sync/pause.hpp"
#include "libpool/sync/thread_number.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace libpool {

/// Loop in which facts are handled. A thread that tells a fact while no other
/// thread handles becomes the handling thread, and handles the facts of all
/// threads.
///
/// `Owner` handles the facts, and grants access to
///
/// - `round_begins()`, called before each round;
/// - `handle(fact, host)`, called with the fact of the handling thread;
/// - `handle_all(first, last, host)`, called with the facts of other threads,
///   in the order in which they were added: iterators to `fact_inbox::fact`;
/// - `end_round(host)`, which returns objects to be destroyed at the very end,
///   such as the last reference to the owner;
/// - `patient_until()`, called after a round: the time until which facts
///   that are not urgent can wait for the next handling thread, see
///   `fact_inbox::rest`.
///
/// Cost:    that of `fact_inbox`, and 8 bytes for each fact that waits. Up to
///          128 KiB of this memory is kept.
/// Threads: any.
template <class Owner>
class handling_loop {
public:
  using fact = fact_inbox::fact;

  explicit handling_loop(Owner& owner) noexcept : owner_(owner) {
    // nop
  }

  /// Adds a fact that is not urgent, if another thread handles, or if facts may
  /// wait at the time that `now` returns. Returns whether it was added. If so,
  /// the owner may be gone.
  template <class Clock>
  bool put_down(fact told, Clock now) noexcept {
    return inbox_.put_down_patiently(told, now);
  }

  /// Whether the calling thread handles.
  bool is_handling() const noexcept {
    return handling_.load(std::memory_order_relaxed) == thread_number();
  }

  /// Returns the latest time at which a fact may have been added since the last
  /// round.
  /// @pre the caller handles
  instant was_patient_until() const noexcept {
    return inbox_.was_patient_until();
  }

  /// Handles the fact. If another thread still handles after `patience`
  /// attempts, leaves the fact to it.
  void tell(fact told, execution_context* host, int patience = 0) {
    for (;; --patience) {
      if (auto before = inbox_.try_begin())
        return handle(*before, told, host);
      if (patience <= 0 && inbox_.put_down(told))
        return;
      pause();
    }
  }

  /// Makes the caller the handling thread until `finish`, if no other thread
  /// handles, for work that must not be interrupted. Returns whether it did.
  bool try_begin(execution_context* host) {
    auto before = inbox_.try_begin();
    if (before) {
      begin_round();
      handle(*before, host);
    }
    return before.has_value();
  }

  /// Ends the round, and handles the facts that were added meanwhile.
  /// @pre the caller handles
  void finish(execution_context* host) {
    auto last = end_round(host); // destroyed at the very end
    while (!inbox_.rest(owner_.patient_until())) {
      begin_round();
      handle(inbox_.take_all(), host);
      keep(last, end_round(host));
    }
  }

private:
  static constexpr auto no_thread = static_cast<std::size_t>(-1);

  void begin_round() noexcept {
    handling_.store(thread_number(), std::memory_order_relaxed);
    owner_.round_begins();
  }

  auto end_round(execution_context* host) {
    auto result = owner_.end_round(host);
    handling_.store(no_thread, std::memory_order_relaxed);
    return result;
  }

  void handle(fact_inbox::pile before, fact mine, execution_context* host) {
    begin_round();
    handle(before, host);
    owner_.handle(mine, host);
    finish(host);
  }

  /// Handles the facts in the order in which they were added. Reads each fact
  /// only once to reverse the pile: after many facts, the first ones have left
  /// the caches.
  void handle(fact_inbox::pile facts, execution_context* host) {
    while (!facts.empty())
      turned_.push_back(facts.take());
    owner_.handle_all(turned_.crbegin(), turned_.crend(), host);
    turned_.clear();
    if (turned_.capacity() > most_kept)
      std::vector<fact>{}.swap(turned_);
  }

  template <class T>
  static void keep(T& last, T next) {
    if (next != nullptr)
      last = std::move(next);
  }

  static constexpr std::size_t most_kept = 16384;

  fact_inbox inbox_;
  std::atomic<std::size_t> handling_{no_thread}; // number of the thread
  std::vector<fact> turned_;                     // of the handling thread
  Owner& owner_;
};

} // namespace libpool
