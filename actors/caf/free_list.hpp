#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

/// Unused objects that are kept for reuse, at most 16384, so that few objects
/// are made in the long run.
template <class T>
class free_list {
public:
  /// Returns an object, which the caller owns until it is given back.
  template <class Make>
  T& take(Make make) {
    if (free_.empty())
      return *make().release();
    auto* result = free_.back().release();
    free_.pop_back();
    return *result;
  }

  T& take() {
    return take(make_one);
  }

  void give_back(T& object) {
    constexpr std::size_t most = 16384;
    std::unique_ptr<T> owner{&object};
    if (free_.size() < most)
      free_.push_back(std::move(owner));
  }

  /// Gives back an object that other threads may still look at. The list keeps
  /// it in every case.
  void keep(T& object) {
    free_.emplace_back(&object);
  }

private:
  /// Apart, so that callers of `take` stay small.
  [[gnu::noinline]] static std::unique_ptr<T> make_one() {
    return std::make_unique<T>();
  }

  std::vector<std::unique_ptr<T>> free_;
};

} // namespace libpool
