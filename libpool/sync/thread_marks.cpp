#include "libpool/sync/thread_marks.hpp"

namespace libpool {

thread_marks::block thread_marks::last_{{}, {}, 0, nullptr, nullptr, nullptr};

/// Leaves the blocks of a thread that ends to later threads, except for blocks
/// with marks that destructors of the thread must still clear.
struct thread_marks::at_thread_exit {
  at_thread_exit() = default;
  at_thread_exit(const at_thread_exit&) = delete;
  at_thread_exit& operator=(const at_thread_exit&) = delete;

  ~at_thread_exit() {
    ended = true;
    for (auto** link = &first_; *link != &last_;) {
      auto* b = *link;
      if (b->free != full) {
        link = &b->more;
        continue;
      }
      *link = b->more;
      b->more = &last_;
      b->owner.store(nullptr, std::memory_order_release);
    }
  }

  /// Destructors that run after this one may still set marks; their block
  /// stays claimed for good.
  static thread_local bool ended;
};

thread_local bool thread_marks::at_thread_exit::ended = false;

const void* thread_marks::me() noexcept {
  return &first_;
}

/// Returns a block for the calling thread: one that a thread has left, or a
/// new one.
thread_marks::block* thread_marks::claim() {
  if (!at_thread_exit::ended) {
    static thread_local at_thread_exit leaver;
    static_cast<void>(leaver);
  }
  for (auto* b = all_.load(); b != nullptr; b = b->older) {
    const void* no_owner = nullptr;
    if (b->owner.compare_exchange_strong(no_owner, me()))
      return b;
  }
  auto* b = new block;
  b->owner.store(me());
  b->older = all_.load();
  while (!all_.compare_exchange_weak(b->older, b)) {
    // b->older is what all_ is now
  }
  return b;
}

thread_marks::place thread_marks::set_slowly(const void* object) {
  auto** end = &first_;
  while (*end != &last_ && (*end)->free == 0)
    end = &(*end)->more;
  if (*end == &last_)
    *end = claim();
  place result;
  result.in = *end;
  result.at = static_cast<std::size_t>(__builtin_ctz((*end)->free));
  fill(result, object);
  return result;
}

/// Calls `f(block, index)` for each place that the calling thread uses, the
/// one that was filled last first as long as marks are cleared in that order,
/// until it returns true.
template <class F>
bool thread_marks::any_mine(F f) noexcept {
  for (auto* b = first_; b != &last_; b = b->more)
    for (auto i = width; i-- > 0;)
      if ((b->free & (1U << i)) == 0 && f(*b, i))
        return true;
  return false;
}

void thread_marks::clear(const void* object) noexcept {
  any_mine([object](block& b, std::size_t i) {
    if (b.marked[i] != object)
      return false;
    place where;
    where.in = &b;
    where.at = i;
    clear(where);
    return true;
  });
}

bool thread_marks::has_mine(const void* object) noexcept {
  return any_mine(
    [object](const block& b, std::size_t i) { return b.marked[i] == object; });
}

void thread_marks::hide_mine(const void* object) noexcept {
  any_mine([object](block& b, std::size_t i) {
    if (b.marked[i] == object)
      b.shown[i].store(nullptr, std::memory_order_release);
    return false;
  });
}

void thread_marks::show_mine(const void* object) noexcept {
  any_mine([object](block& b, std::size_t i) {
    if (b.marked[i] == object)
      b.shown[i].exchange(object);
    return false;
  });
}

bool thread_marks::shown(const void* object) noexcept {
  for (auto* b = all_.load(); b != nullptr; b = b->older)
    for (auto& mark : b->shown)
      if (mark.load() == object)
        return true;
  return false;
}

bool thread_marks::shown_elsewhere(const void* object) noexcept {
  for (auto* b = all_.load(); b != nullptr; b = b->older)
    if (b->owner.load() != me())
      for (auto& mark : b->shown)
        if (mark.load() == object)
          return true;
  return false;
}

} // namespace libpool
