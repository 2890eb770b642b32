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
/// A reader pins the value that is current; the pinned value stays as it is and
/// alive until the pin ends, however often it is replaced meanwhile. Readers do
/// not wait for writers, nor writers for readers. A replaced value is destroyed
/// by the thread that ends its last pin, or by the writer if there is none.
/// These are hazard pointers (Michael 2004), one per pin.
///
/// Cost:    read: one atomic exchange, nothing shared is written. update: what
///          the function costs, and O(threads) per replaced value still pinned.
/// Threads: any; a pin ends in the thread that made it, and before the value's
///          owner does. No value is destroyed under a lock. A pin that ends in
///          the very moment of an update may leave the destruction to the end
///          of the next pin.
/// Errors:  read: std::bad_alloc, see `thread_marks`.
template <class T>
class published {
  struct node {
    // First, so that no lock inside the value has the address of the node: a
    // lock and a node with one address would leave equal marks.
    node* next;
    T value;
  };

public:
  /// Keeps one value readable for as long as the pin lives. Pins of one thread
  /// end in the reverse of the order in which they were made.
  class pin {
  public:
    // A call would cost more than it does; so for its end, and `read`.
    [[gnu::always_inline]] explicit pin(published& from)
      : from_(from),
        pinned_(from.current_.load()),
        mark_(thread_marks::set(pinned_)) {
      // A mark counts only if its value was still current once it stood.
      if (__builtin_expect(from.current_.load() != pinned_, 0))
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

    T& operator*() const noexcept {
      return pinned_->value;
    }

    T* operator->() const noexcept {
      return &pinned_->value;
    }

    /// Whether the calling thread had pinned any `published<T>` before.
    bool is_nested() const noexcept {
      return outer_ != nullptr;
    }

    /// How many pins of this `published` the calling thread had before.
    std::size_t repeated() const noexcept {
      std::size_t result = 0;
      for (auto* i = outer_; i != nullptr; i = i->outer_)
        if (&i->from_ == &from_)
          ++result;
      return result;
    }

  private:
    /// Lets the mark follow the updates; returns the value that it marks in the
    /// end. Apart, so that a pin of a value that is still current saves no
    /// register for it.
    [[gnu::noinline]] static node* catch_up(published& from,
                                            thread_marks::place mark) noexcept {
      node* marked = nullptr;
      for (auto* now = from.current_.load(); now != marked;
           now = from.current_.load()) {
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

  explicit published(T first) : current_(new node{nullptr, std::move(first)}) {
    // nop
  }

  published(const published&) = delete;
  published& operator=(const published&) = delete;

  /// @pre no pin is left
  ~published() {
    destroy(retired_.load());
    delete current_.load();
  }

  /// Keeps the current value readable until the result ends.
  [[gnu::always_inline]] pin read() {
    return pin{*this};
  }

  /// Replaces the current value by `change(current)`, a `std::optional<T>`, or
  /// keeps it if that is empty. Updates come one after the other. Returns
  /// whether the value was replaced.
  /// @pre `change` neither calls back nor destroys values that others share
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
  /// Destroys the retired values without pins, unless another thread is doing
  /// so.
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
