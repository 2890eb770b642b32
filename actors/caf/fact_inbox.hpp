#pragma once

#include "libpool/actors/caf/port/fact_node.hpp"
#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace libpool {

/// Facts that any thread tells and one thread at a time handles: a thread that
/// tells a fact while no other one handles becomes the handling thread. So the
/// state that facts change needs no lock, and no thread waits for another; a
/// thread may be kept busy with the facts of others, though.
///
/// The last handling thread may have left word that facts can wait until some
/// time. Until then, facts in no hurry are only put down for the next handling
/// thread: the state of a busy pool stays with the cores of its workers.
///
/// Facts are mailbox elements and their like, linked through themselves:
/// nothing is allocated to put one down.
///
/// Order:   facts of one thread are handled in the order in which they came.
/// Cost:    one atomic exchange to put down a fact; two to begin and rest, one
/// more for each further round of handling.
/// Threads: any may put down facts and begin; the one that began takes and
/// rests.
class alignas(64) fact_inbox {
public:
  enum class kind : std::uintptr_t {
    submitted = 0, ///< A message that is a task, or may be one.
    ended = 1,     ///< A tracked element that a worker is done with.
    command = 2,   ///< Something else, see `command_element`.
    managing = 3,  ///< A message for the pool itself.
  };

  /// No fact can wait.
  static constexpr instant impatient = instant::min();

  /// A fact, in one word.
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

    /// The fact itself.
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

  /// Facts that were put down, the last one on top.
  class pile {
  public:
    pile() = default;

    explicit pile(std::uintptr_t last) noexcept : last_(last & ~state_mask) {
      // nop
    }

    bool empty() const noexcept {
      return last_ == 0;
    }

    /// Takes out the last one.
    /// @pre not empty
    fact take() noexcept {
      fact result{last_};
      last_ = link_of(*result.node());
      return result;
    }

  private:
    std::uintptr_t last_ = 0;
  };

  /// Makes the caller the handling thread if there is none, and gives it the
  /// facts that were put down meanwhile.
  std::optional<pile> try_begin() noexcept {
    auto seen = last_.load(std::memory_order_relaxed);
    while ((seen & is_idle) != 0)
      if (last_.compare_exchange_weak(seen, 0, std::memory_order_acq_rel,
                                      std::memory_order_relaxed))
        return pile{seen};
    return std::nullopt;
  }

  /// Puts down a fact if a thread handles. Returns whether it did: then the
  /// caller must not touch the inbox any more, since the handling thread may
  /// have destroyed it.
  bool put_down(fact added) noexcept {
    return put_down_if(added, [] { return false; });
  }

  /// Does so too if the last handling thread has left word that facts can wait
  /// until a time that has not passed. `now` returns the time, and is called
  /// only if that matters.
  template <class Clock>
  bool put_down_patiently(fact added, Clock now) noexcept {
    return put_down_if(added, [this, &now] {
      auto until = patient_until_.load(std::memory_order_relaxed);
      return until == never || now() <= until;
    });
  }

  /// The time until which facts could wait, as the last handling thread has
  /// left word.
  /// @pre the caller handles
  instant was_patient_until() const noexcept {
    return patient_until_.load(std::memory_order_relaxed);
  }

  /// Takes all that was put down.
  /// @pre the caller handles
  pile take_all() noexcept {
    return pile{last_.exchange(0, std::memory_order_acq_rel)};
  }

  /// Returns whether nothing more was put down. Then the caller handles no
  /// longer, and must not touch the inbox any more. Leaves word until when
  /// facts can wait: `never` if for any time, `impatient` if not at all.
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

  // A word has the address of a fact, its kind, and the state of the inbox.
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

  /// The last fact, linked to the one before it. On a cache line of its own,
  /// away from members that one thread at a time uses.
  alignas(64) std::atomic<std::uintptr_t> last_{is_idle};
  std::atomic<instant> patient_until_{impatient};
};

/// The message that the fact is.
/// @pre it is one
inline caf::mailbox_element_ptr message_of(fact_inbox::fact fact) noexcept {
  return caf::mailbox_element_ptr{fact.as<caf::mailbox_element>()};
}

} // namespace libpool
