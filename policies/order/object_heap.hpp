#pragma once

#include "libpool/policies/order/indexed_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// A priority queue of objects. Each object has a key, and the object with the
/// smallest key is on top. Each object stores its slot in the heap, so an
/// object is in at most one heap at the same time.
///
/// `Rule` has two static functions. `goes_first(x, y)` returns whether `x` goes
/// before `y` if both have the same key. `rose(x, depth)` is called when `x`
/// moves up to `depth` because another object was moved or removed, for example
/// to prefetch the data of `x`. Depth 0 is the top.
///
/// Cost: O(log size) per change, O(1) for the top; allocates only to grow.
template <class T, class Key, class Rule>
class object_heap {
public:
  object_heap() = default;
  object_heap(const object_heap&) = delete;
  object_heap& operator=(const object_heap&) = delete;

  /// Removes all objects.
  /// @pre the objects in the heap outlive the heap
  ~object_heap() {
    for (auto* each : objects_)
      if (each != nullptr)
        each->heap_slot = T::in_no_heap;
  }

  /// Whether the heap has no object.
  bool empty() const noexcept {
    return heap_.empty();
  }

  /// Returns the object with the smallest key.
  /// @pre !empty()
  T& top() const noexcept {
    return *objects_[heap_.top()];
  }

  /// Adds the object, or changes its key. If the object is already in the heap,
  /// its position is updated, even if only the result of `Rule::goes_first` has
  /// changed.
  void put(T& object, Key key) {
    if (object.heap_slot == T::in_no_heap)
      add(object);
    heap_.put(object.heap_slot, key, rose{&objects_});
  }

  /// Removes the object.
  /// @pre the object is in this heap
  void remove(T& object) noexcept {
    heap_.remove(object.heap_slot, rose{&objects_});
    objects_[object.heap_slot] = nullptr;
    free_slots_.push_back(std::exchange(object.heap_slot, T::in_no_heap));
  }

private:
  using objects = std::vector<T*>;

  struct goes_first {
    bool operator()(std::uint32_t x, std::uint32_t y) const noexcept {
      return Rule::goes_first(*(*all)[x], *(*all)[y]);
    }

    const objects* all;
  };

  struct rose {
    void operator()(std::uint32_t slot, std::size_t depth) const noexcept {
      Rule::rose(*(*all)[slot], depth);
    }

    const objects* all;
  };

  void add(T& object) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(objects_.size()));
      objects_.push_back(nullptr);
    }
    object.heap_slot = free_slots_.back();
    free_slots_.pop_back();
    objects_[object.heap_slot] = &object;
  }

  objects objects_; // by slot
  std::vector<std::uint32_t> free_slots_;
  indexed_heap<goes_first, Key> heap_{goes_first{&objects_}};
};

} // namespace libpool
