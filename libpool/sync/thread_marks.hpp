#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Says what the calling thread is reading, where every writer can look.
///
/// A reader marks an address before it reads what stands there; a writer that
/// is about to destroy or change it first looks whether some thread shows the
/// mark. Each thread writes into memory of its own, so readers on different
/// cores never fight over a cache line. This is the one idea behind hazard
/// pointers (Michael 2004; see `published`) and distributed reader locks (see
/// `shared_spinlock`), and both of them use it.
///
/// Cost:    set: one atomic exchange (about 4 ns); clear: one plain store.
///          The writer's look: O(threads). 192 bytes per thread and 8 marks.
/// Threads: a place is cleared by the thread that set it.
/// Errors:  std::bad_alloc where a thread's first mark, or more than 8 at
///          once, finds no memory; nothing is marked then.
class thread_marks {
  struct block;

public:
  /// Where a mark stands.
  class place {
    friend class thread_marks;
    block* in = nullptr;
    std::size_t at = 0;
  };

  /// Marks `object` for the calling thread; the same address may be marked
  /// again.
  static place set(const void* object);

  /// Lets the mark at `where` show `object` instead, or nothing for nullptr.
  static void change(place where, const void* object) noexcept;

  /// Takes the mark at `where` away.
  static void clear(place where) noexcept;

  /// Takes one of the calling thread's marks on `object` away, as a rule the
  /// one that it set last.
  /// @pre the calling thread has marked `object`
  static void clear(const void* object) noexcept;

  /// Whether the calling thread has marked `object`, shown or hidden.
  static bool has_mine(const void* object) noexcept;

  /// Hides all marks of the calling thread on `object` from other threads.
  static void hide_mine(const void* object) noexcept;

  /// Shows all marks of the calling thread on `object` again.
  static void show_mine(const void* object) noexcept;

  /// Whether any thread shows a mark on `object`.
  static bool shown(const void* object) noexcept;

  /// Whether a thread other than the calling one shows a mark on `object`.
  static bool shown_elsewhere(const void* object) noexcept;

private:
  static constexpr std::size_t width = 8;
  static constexpr std::uint32_t full = (1U << width) - 1;

  /// Eight marks of one thread. Blocks are never freed: a thread that ends
  /// leaves its blocks to threads to come.
  struct alignas(64) block {
    std::array<std::atomic<const void*>, width> shown{};
    // The rest belongs to the owning thread, but for `owner` and `older`.
    std::array<const void*, width> marked{};
    std::uint32_t free = full; // a bit per place
    block* more = &last_;
    std::atomic<const void*> owner{nullptr};
    block* older = nullptr;
  };

  struct at_thread_exit;

  static const void* me() noexcept;
  static block* claim();
  static place set_slowly(const void* object);
  static void fill(place where, const void* object) noexcept;
  template <class F>
  static bool any_mine(F f) noexcept;

  /// Ends each thread's list of blocks. It has no free place, so that `set`
  /// looks for one by a single test, also in a thread without blocks.
  static block last_;
  inline static thread_local block* first_ = &last_; // NOLINT: an address
  inline static std::atomic<block*> all_{nullptr};
};

inline void thread_marks::fill(place where, const void* object) noexcept {
  where.in->free &= ~(1U << where.at);
  where.in->marked[where.at] = object;
  // Sequentially consistent with the writer's look: either the writer sees the
  // mark, or the reader sees the writes from before that look.
  where.in->shown[where.at].exchange(object);
}

inline thread_marks::place thread_marks::set(const void* object) {
  auto* b = first_;
  if (__builtin_expect(b->free == 0, 0))
    return set_slowly(object);
  place result;
  result.in = b;
  result.at = static_cast<std::size_t>(__builtin_ctz(b->free));
  fill(result, object);
  return result;
}

inline void thread_marks::change(place where, const void* object) noexcept {
  where.in->marked[where.at] = object;
  where.in->shown[where.at].exchange(object);
}

inline void thread_marks::clear(place where) noexcept {
  where.in->shown[where.at].store(nullptr, std::memory_order_release);
  where.in->free |= 1U << where.at;
}

} // namespace libpool
