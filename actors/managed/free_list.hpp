#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

/// Objects that are not in use, kept so that hardly any is made in the long
/// run. At most 16384 are kept.
template <class T>
class free_list {
public:
  /// One that is in use from now on; its owner is whoever gives it back.
  template <class Make>
  T& take(Make make) {
    if (free_.empty())
      return *make().release();
    auto* result = free_.back().release();
    free_.pop_back();
    return *result;
  }

  T& take() {
    return take([] { return std::make_unique<T>(); });
  }

  void give_back(T& object) {
    constexpr std::size_t most = 16384;
    std::unique_ptr<T> owner{&object};
    if (free_.size() < most)
      free_.push_back(std::move(owner));
  }

  /// Gives back one that others may still look at: it is kept in any case.
  void keep(T& object) {
    free_.emplace_back(&object);
  }

private:
  std::vector<std::unique_ptr<T>> free_;
};

} // namespace libpool
