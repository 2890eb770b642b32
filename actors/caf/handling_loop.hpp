#pragma once

#include "libpool/actors/caf/fact_inbox.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/sync/pause.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace libpool {

/// The loop in which facts are handled: a thread that tells a fact while no
/// other one handles becomes the handling thread, for the facts of all.
///
/// `Owner` handles the facts, and grants access to
///
/// - `begin_round()`, before each round;
/// - `handle(fact, host)`, for a fact of its own;
/// - `handle_all(first, last, host)`, for facts that others have put down, in
///   that order: iterators to `fact_inbox::fact`;
/// - `end_round(host)`, which returns objects to be destroyed when nothing is
///   touched any more, such as the last reference to the owner;
/// - `patient_until()`, after a round: the time until which facts in no hurry
///   may be put down for the next handling thread, see `fact_inbox::rest`.
///
/// Cost:    that of `fact_inbox`, and 8 bytes for each fact of a flood; 128 KiB
///          of them are kept.
/// Threads: any.
template <class Owner>
class handling_loop {
public:
  using fact = fact_inbox::fact;

  explicit handling_loop(Owner& owner) noexcept : owner_(owner) {
    // nop
  }

  /// Puts down a fact that is in no hurry, if it can wait at the time that
  /// `now` returns, or another thread handles. Returns whether it did: the
  /// owner may be gone then.
  template <class Clock>
  bool put_down(fact told, Clock now) noexcept {
    return inbox_.put_down_patiently(told, now);
  }

  /// The latest time at which a fact may have been put down since the last
  /// round.
  /// @pre the caller handles
  instant was_patient_until() const noexcept {
    return inbox_.was_patient_until();
  }

  /// Handles the fact, or leaves it to the handling thread if that takes longer
  /// than `patience` looks.
  void tell(fact told, execution_context* host, int patience = 0) {
    for (;; --patience) {
      if (auto before = inbox_.try_begin())
        return handle(*before, told, host);
      if (patience <= 0 && inbox_.put_down(told))
        return;
      pause();
    }
  }

  /// Handles from now on, if no other thread does, until `finish`. For callers
  /// that others must not interrupt.
  bool try_begin(execution_context* host) {
    auto before = inbox_.try_begin();
    if (before)
      handle(*before, host);
    return before.has_value();
  }

  /// Ends the round, and handles the facts that were put down meanwhile.
  /// @pre the caller handles
  void finish(execution_context* host) {
    auto last = owner_.end_round(host); // destroyed at the very end
    while (!inbox_.rest(owner_.patient_until())) {
      owner_.begin_round();
      handle(inbox_.take_all(), host);
      keep(last, owner_.end_round(host));
    }
  }

private:
  void handle(fact_inbox::pile before, fact mine, execution_context* host) {
    owner_.begin_round();
    handle(before, host);
    owner_.handle(mine, host);
    finish(host);
  }

  /// Turns the pile over without a second look at the facts: those of a flood
  /// have left the caches by then.
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
  std::vector<fact> turned_; // of whoever handles
  Owner& owner_;
};

} // namespace libpool
