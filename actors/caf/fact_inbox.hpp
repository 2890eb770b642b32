#pragma once

#include "libpool/actors/caf/port/fact_node.hpp"
#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace libpool {

/// Inbox of facts. Any thread can tell a fact, and one thread at a time handles
/// facts: a thread that tells a fact while no other thread handles becomes the
/// handling thread. The state that facts change therefore needs no lock, and no
/// thread waits for another. A thread can be kept busy with the facts of other
/// threads.
///
/// When a handling thread stops, it can say until when facts may wait. Until
/// then, facts that are not urgent stay in the inbox for the next handling
/// thread, so that the state of a busy pool stays in the caches of its workers.
///
/// Facts are mailbox elements or similar objects, linked through themselves.
/// Adding a fact allocates nothing.
///
/// Order:   facts of one thread are handled in the order in which the thread
///          told them.
/// Cost:    one atomic exchange for each fact that is added; two to begin and
///          to rest; one for each further round.
/// Threads: any thread may add facts and begin. The thread that began takes
///          facts and rests.
class alignas(64) fact_inbox {
public:
  enum class kind : std::uintptr_t {
    submitted = 0, ///< A message that is a task, or may be one.
    ended = 1,     ///< A tracked element that a worker is done with.
    command = 2,   ///< Any other event, see `command_element`.
    managing = 3,  ///< A message for the pool itself.
  };

  /// Time for `rest` if no fact can wait.
  static constexpr instant impatient = instant::min();

  /// A fact, packed into one word.
  class fact {
  public:
    fact(kind is, fact_node* node) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(node)
              | static_cast<std::uintptr_t>(is)) {
      // nop
    }

    kind is() const noexcept {
      return kind{word_ & kind_mask};
    }

    fact_node* node() const noexcept {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      return reinterpret_cast<fact_node*>(word_ & ~kind_mask);
    }

    /// Returns the object that the fact is.
    /// @pre it is a `T`
    template <class T>
    T* as() const noexcept {
      return static_cast<T*>(node());
    }

  private:
    friend class fact_inbox;

    explicit fact(std::uintptr_t word) noexcept : word_(word) {
      // nop
    }

    std::uintptr_t word_;
  };

  /// Facts that were added, the last one first.
  class pile {
  public:
    pile() = default;

    explicit pile(std::uintptr_t last) noexcept : last_(last & ~state_mask) {
      // nop
    }

    bool empty() const noexcept {
      return last_ == 0;
    }

    /// Removes and returns the fact that was added last.
    /// @pre not empty
    fact take() noexcept {
      fact result{last_};
      last_ = link_of(*result.node());
      return result;
    }

  private:
    std::uintptr_t last_ = 0;
  };

  /// Makes the caller the handling thread if there is none. On success, returns
  /// the facts that were added before.
  std::optional<pile> try_begin() noexcept {
    auto seen = last_.load(std::memory_order_relaxed);
    while ((seen & is_idle) != 0)
      if (last_.compare_exchange_weak(seen, 0, std::memory_order_acq_rel,
                                      std::memory_order_relaxed))
        return pile{seen};
    return std::nullopt;
  }

  /// Adds a fact if a thread handles. Returns whether it was added. If so, the
  /// caller must not use the inbox any more: the handling thread may have
  /// destroyed it.
  bool put_down(fact added) noexcept {
    return put_down_if(added, [] { return false; });
  }

  /// Adds a fact as `put_down` does, and also if no thread handles and facts
  /// may wait at the time that `now` returns. `now` is called only if the
  /// result depends on it.
  template <class Clock>
  bool put_down_patiently(fact added, Clock now) noexcept {
    return put_down_if(added, [this, &now] {
      auto until = patient_until_.load(std::memory_order_relaxed);
      return until == never || now() <= until;
    });
  }

  /// Returns the time until which facts could wait, as the last handling thread
  /// has set it.
  /// @pre the caller handles
  instant was_patient_until() const noexcept {
    return patient_until_.load(std::memory_order_relaxed);
  }

  /// Removes and returns all facts that were added.
  /// @pre the caller handles
  pile take_all() noexcept {
    return pile{last_.exchange(0, std::memory_order_acq_rel)};
  }

  /// Ends the caller's turn if no fact was added meanwhile, and returns whether
  /// it did. If so, the caller must not use the inbox any more. Facts can wait
  /// until `patient_until`: `never` means without a limit, `impatient` not at
  /// all.
  /// @pre the caller handles
  bool rest(instant patient_until) noexcept {
    std::uintptr_t nothing = 0;
    auto is_to_wait = patient_until != impatient;
    patient_until_.store(patient_until, std::memory_order_relaxed);
    return last_.compare_exchange_strong(
      nothing, is_idle | (is_to_wait ? is_patient : 0),
      std::memory_order_acq_rel, std::memory_order_relaxed);
  }

private:
  using link = decltype(fact_node::next);

  template <class Condition>
  bool put_down_if(fact added, Condition can_wait) noexcept {
    auto& node = *added.node();
    auto seen = last_.load(std::memory_order_acquire);
    do {
      if ((seen & is_idle) != 0 && !((seen & is_patient) != 0 && can_wait()))
        return false;
      set_link(node, seen & ~state_mask);
    } while (!last_.compare_exchange_weak(
      seen, added.word_ | (seen & state_mask), std::memory_order_acq_rel,
      std::memory_order_acquire));
    return true;
  }

  // A word holds the address of a fact, its kind, and the state of the inbox.
  static constexpr std::uintptr_t kind_mask = 3;
  static constexpr std::uintptr_t is_idle = 4;
  static constexpr std::uintptr_t is_patient = 8;
  static constexpr std::uintptr_t state_mask = is_idle | is_patient;
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ > (kind_mask | state_mask));

  static std::uintptr_t link_of(const fact_node& node) noexcept {
    return reinterpret_cast<std::uintptr_t>(node.next);
  }

  static void set_link(fact_node& node, std::uintptr_t word) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    node.next = reinterpret_cast<link>(word);
  }

  /// Last fact, linked to the one before it. On a cache line of its own, apart
  /// from members that one thread at a time uses.
  alignas(64) std::atomic<std::uintptr_t> last_{is_idle};
  std::atomic<instant> patient_until_{impatient};
};

/// Returns the message that the fact is.
/// @pre it is one
inline caf::mailbox_element_ptr message_of(fact_inbox::fact fact) noexcept {
  return caf::mailbox_element_ptr{fact.as<caf::mailbox_element>()};
}

} // namespace libpool
