#pragma once

#include "libpool/sync/thread_marks.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace libpool {

/// A value that many threads read while others replace it.
///
/// A reader pins the current value. The pinned value stays alive and unchanged
/// until the pin ends, even if the value is replaced meanwhile. Readers and
/// writers do not wait for each other. A replaced value is destroyed by the
/// thread that ends its last pin, or by the writer if the value has no pin. The
/// technique is that of hazard pointers (Michael 2004), with one hazard pointer
/// per pin.
///
/// Cost:    read: one atomic exchange; no memory that threads share is written.
///          update: the cost of the function, and O(threads) for each replaced
///          value that still exists.
/// Threads: any. A pin ends in the thread that made it, and before the
///          `published` object does. No value is destroyed under a lock. If a
///          pin ends during an update, the replaced value may live until the
///          next pin or update ends.
/// Errors:  read: std::bad_alloc if memory for the pin cannot be allocated, see
///          `thread_marks`.
template <class T>
class published {
  struct node {
    // The first member, so that no lock inside the value has the address of the
    // node. Otherwise the marks on the lock and on the node could not be
    // distinguished.
    node* next;
    T value;
  };

public:
  /// Access to one value, which stays alive and unchanged as long as the pin
  /// exists. The pins of one thread must end in the reverse order of their
  /// creation.
  class pin {
  public:
    // Inlined, as are the destructor and `read`, since a call would cost more
    // than the body.
    /// Pins the current value of `source`, so that the value stays alive and
    /// unchanged as long as the pin exists.
    [[gnu::always_inline]] explicit pin(published& source)
      : from_(source),
        pinned_(source.current_.load()),
        mark_(thread_marks::set(pinned_)) {
      // The mark protects the value only if the value was still current after
      // the mark was set.
      if (__builtin_expect(source.current_.load() != pinned_, 0))
        pinned_ = catch_up(from_, mark_);
      outer_ = innermost_;
      innermost_ = this;
    }

    pin(const pin&) = delete;
    pin& operator=(const pin&) = delete;

    [[gnu::always_inline]] ~pin() {
      innermost_ = outer_;
      thread_marks::clear(mark_);
      if (from_.retired_.load(std::memory_order_relaxed) != nullptr)
        from_.collect();
    }

    /// Returns the pinned value.
    T& operator*() const noexcept {
      return pinned_->value;
    }

    /// Returns a pointer to the pinned value.
    T* operator->() const noexcept {
      return &pinned_->value;
    }

    /// Whether the thread already had a pin on any object of the class
    /// `published<T>` when it made this pin.
    bool is_nested() const noexcept {
      return outer_ != nullptr;
    }

    /// Returns the number of pins that the thread already had on the same
    /// `published` object when it made this pin.
    std::size_t repeated() const noexcept {
      std::size_t result = 0;
      for (auto* i = outer_; i != nullptr; i = i->outer_)
        if (&i->from_ == &from_)
          ++result;
      return result;
    }

  private:
    /// Lets the mark, which tells other threads what this thread reads, name
    /// the current value. Repeats this if an update has replaced the value
    /// meanwhile. Returns the node of the marked value. Not inlined, so that
    /// the usual path, on which the value is still current, saves no registers.
    [[gnu::noinline]] static node* catch_up(published& source,
                                            thread_marks::place mark) noexcept {
      node* marked = nullptr;
      for (auto* now = source.current_.load(); now != marked;
           now = source.current_.load()) {
        marked = now;
        thread_marks::change(mark, now);
      }
      return marked;
    }

    published& from_;
    node* pinned_;
    thread_marks::place mark_;
    const pin* outer_;
    inline static thread_local const pin* innermost_ = nullptr;
  };

  /// Makes an object whose current value is `first`.
  explicit published(T first) : current_(new node{nullptr, std::move(first)}) {
    // nop
  }

  published(const published&) = delete;
  published& operator=(const published&) = delete;

  /// Destroys the current value and all replaced values.
  /// @pre no thread has a pin on this object, that is, reads a value of it
  ~published() {
    destroy(retired_.load());
    delete current_.load();
  }

  /// Returns a pin on the current value, which stays alive and unchanged as
  /// long as the pin exists.
  [[gnu::always_inline]] pin read() {
    return pin{*this};
  }

  /// Replaces the current value by the result of `change(current)`, a
  /// `std::optional<T>`. If the result is empty, the current value stays.
  /// Updates run one after the other. Returns whether the value was replaced.
  /// @pre `change` does not use this object, and does not release the last
  ///      reference to another object, whose destructor would run under a lock
  template <class F>
  bool update(F change) {
    std::unique_lock<std::mutex> guard{updating_};
    std::optional<T> next = change(std::as_const(current_.load()->value));
    if (!next)
      return false;
    auto* old = current_.exchange(new node{nullptr, std::move(*next)});
    old->next = retired_.load();
    retired_.store(old);
    collect(std::move(guard));
    return true;
  }

private:
  /// Destroys the replaced values that no thread reads (pins) any more. Does
  /// nothing if another thread is updating or destroying values.
  [[gnu::noinline]] void collect() noexcept {
    std::unique_lock<std::mutex> guard{updating_, std::try_to_lock};
    if (guard)
      collect(std::move(guard));
  }

  void collect(std::unique_lock<std::mutex> guard) noexcept {
    node* pinned = nullptr;
    node* unpinned = nullptr;
    for (auto* i = retired_.load(); i != nullptr;) {
      auto*& list = thread_marks::shown(i) ? pinned : unpinned;
      auto* next = i->next;
      i->next = list;
      list = i;
      i = next;
    }
    retired_.store(pinned);
    guard.unlock();
    destroy(unpinned);
  }

  static void destroy(node* list) noexcept {
    while (list != nullptr)
      delete std::exchange(list, list->next);
  }

  std::atomic<node*> current_;
  std::atomic<node*> retired_{nullptr};
  std::mutex updating_;
};

} // namespace libpool
