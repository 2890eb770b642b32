#pragma once

#include "libpool/export.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libpool {

/// Marks that tell writers which objects a thread is reading.
///
/// A reader marks the address of an object before it reads the object. A writer
/// that is about to change or destroy the object first checks whether any
/// thread shows a mark on that address. A thread can hide its marks for some
/// time. Each thread writes to memory of its own, so readers on different cores
/// never contend for a cache line. Both hazard pointers (Michael 2004; see
/// `published`) and distributed reader locks (see `shared_spinlock`) are built
/// on these marks.
///
/// Cost:    set: one atomic exchange (about 4 ns). clear: one plain store.
///          Check by a writer: O(threads). 192 bytes for each 8 marks of a
///          thread.
/// Threads: the thread that set a mark clears it.
/// Errors:  std::bad_alloc if memory cannot be allocated for the first mark of
///          a thread, or for more than 8 marks at once; in this case the mark
///          is not set.
class LIBPOOL_EXPORT thread_marks {
  struct block;

public:
  /// Place of a mark in the memory of the thread that set it; needed to change
  /// or remove the mark.
  class place {
    friend class thread_marks;
    block* in = nullptr;
    std::size_t at = 0;
  };

  /// Sets a mark, which tells other threads that the calling thread reads
  /// `object`. Several marks may be set on one object. Returns the place of the
  /// mark.
  static place set(const void* object);

  /// Changes the mark at `where`, which tells other threads that the calling
  /// thread reads an object, to name `object`. nullptr: no object; the mark can
  /// be changed again.
  static void change(place where, const void* object) noexcept;

  /// Removes the mark at `where`, which tells other threads that the calling
  /// thread reads an object.
  static void clear(place where) noexcept;

  /// Removes one of the marks that tell other threads that the calling thread
  /// reads `object`, usually the mark that was set last.
  /// @pre the calling thread has marked `object`
  static void clear(const void* object) noexcept;

  /// Whether the calling thread has marked `object` as an object that it reads,
  /// even if `hide_mine` has hidden the mark from other threads.
  static bool has_mine(const void* object) noexcept;

  /// Hides from other threads that the calling thread has marked `object` as an
  /// object that it reads, until `show_mine` is called.
  static void hide_mine(const void* object) noexcept;

  /// Shows other threads again that the calling thread has marked `object` as
  /// an object that it reads, after `hide_mine`.
  static void show_mine(const void* object) noexcept;

  /// Whether any thread has marked `object` as an object that it reads. Hidden
  /// marks do not count.
  static bool shown(const void* object) noexcept;

  /// Whether a thread other than the calling one has marked `object` as an
  /// object that it reads. Hidden marks do not count.
  static bool shown_elsewhere(const void* object) noexcept;

private:
  static constexpr std::size_t width = 8;
  static constexpr std::uint32_t full = (1U << width) - 1;

  /// Memory for eight marks of one thread. Blocks are never freed: the blocks
  /// of a thread that has ended are reused by later threads.
  struct alignas(64) block {
    std::array<std::atomic<const void*>, width> shown{};
    // Other threads use only two of the members below: `owner` and `older`.
    std::array<const void*, width> marked{};
    std::uint32_t free = full; // one bit for each place; set: free
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

  /// Sentinel at the end of each thread's list of blocks, which have places for
  /// marks. The sentinel has no free place, so a single test in `set` suffices
  /// to find whether the first block has a free place, even in a thread without
  /// blocks.
  static block last_;
  inline static thread_local block* first_ = &last_; // NOLINT: an address
  inline static std::atomic<block*> all_{nullptr};
};

inline void thread_marks::fill(place where, const void* object) noexcept {
  where.in->free &= ~(1U << where.at);
  where.in->marked[where.at] = object;
  // Sequentially consistent with the check of a writer: either the writer sees
  // the mark, or the reader sees everything that was written before the check.
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
