#pragma once

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>

namespace libpool {

/// What has happened, told by any thread and handled by one at a time: whoever
/// tells something while nobody handles. So what is done about facts needs no
/// lock, and nobody waits for anybody; a thread may be kept busy with what
/// others tell, though.
///
/// Facts are mailbox elements, linked through themselves: nothing is allocated.
///
/// Order:   facts of one thread come in the order in which it tells them.
/// Cost:    one atomic exchange to tell, two for each round of handling.
/// Threads: any may tell; one at a time takes and rests.
class fact_inbox {
public:
  enum class kind : std::uintptr_t {
    submitted = 0, ///< A message for the pool.
    ended = 1,     ///< A tracked element that a worker is done with.
    command = 2,   ///< Something else, see `command`.
  };

  struct fact {
    kind is;
    caf::mailbox_element* what;
  };

  /// Facts in the order in which they were told.
  class chain {
  public:
    explicit chain(std::uintptr_t first) noexcept : first_(first) {
      // nop
    }

    bool empty() const noexcept {
      return first_ == 0;
    }

    /// Takes out the first one.
    /// @pre not empty
    fact take() noexcept {
      auto result = decoded(first_);
      first_ = link_of(*result.what);
      return result;
    }

  private:
    std::uintptr_t first_;
  };

  /// Returns whether the caller has to handle facts now. If not, it must not
  /// touch the inbox any more: whoever handles may have destroyed it.
  bool tell(kind is, caf::mailbox_element& what) noexcept {
    auto mine = reinterpret_cast<std::uintptr_t>(&what)
                | static_cast<std::uintptr_t>(is);
    auto seen = last_.load(std::memory_order_relaxed);
    do {
      set_link(what, seen == nobody_handles ? 0 : seen);
    } while (!last_.compare_exchange_weak(seen, mine, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    return seen == nobody_handles;
  }

  /// Takes all that was told.
  /// @pre the caller handles
  chain take_all() noexcept {
    std::uintptr_t first = 0;
    auto rest = last_.exchange(0, std::memory_order_acq_rel);
    while (rest != 0) {
      auto& element = *decoded(rest).what;
      auto before = link_of(element);
      set_link(element, first);
      first = rest;
      rest = before;
    }
    return chain{first};
  }

  /// Returns whether nothing more was told, in which case the caller handles no
  /// longer, and must not touch the inbox any more.
  /// @pre the caller handles
  bool rest() noexcept {
    std::uintptr_t nothing = 0;
    return last_.compare_exchange_strong(nothing, nobody_handles,
                                         std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

private:
  using node = caf::mailbox_element::node_pointer;

  static constexpr std::uintptr_t kind_mask = 3;
  static constexpr std::uintptr_t nobody_handles = kind_mask;

  static fact decoded(std::uintptr_t word) noexcept {
    return {kind{word & kind_mask},
            reinterpret_cast<caf::mailbox_element*>(word & ~kind_mask)};
  }

  static std::uintptr_t link_of(const caf::mailbox_element& what) noexcept {
    return reinterpret_cast<std::uintptr_t>(what.next);
  }

  static void set_link(caf::mailbox_element& what,
                       std::uintptr_t word) noexcept {
    what.next = reinterpret_cast<node>(word);
  }

  /// The last fact, linked to the one before; 0 if there is none.
  std::atomic<std::uintptr_t> last_{nobody_handles};
};

} // namespace libpool
