#pragma once

#include "libpool/core/flow_ref.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace libpool {

/// Lets the tasks of one flow share its key. A key that no task refers to any
/// more is kept for a while.
///
/// Load:    one key for each flow that has tasks, and as many again, or 1024.
/// Cost:    O(1) on average.
/// Threads: one at a time.
class flow_book {
public:
  /// Returns a reference to the key that equals `key`.
  flow_ref find(flow_key key) {
    auto hash = key.hash();
    if (auto i = flows_.find(hash); i != flows_.end())
      return i->second;
    if (flows_.size() >= most_)
      forget_unused();
    return flows_.try_emplace(hash, flow_ref{std::move(key)}).first->second;
  }

  /// Returns the number of keys.
  std::size_t size() const noexcept {
    return flows_.size();
  }

private:
  static constexpr std::size_t most_unused = 1024;

  void forget_unused() {
    for (auto i = flows_.begin(); i != flows_.end();)
      i = i->second.is_shared() ? std::next(i) : flows_.erase(i);
    most_ = 2 * flows_.size() + most_unused;
  }

  std::unordered_map<std::uint64_t, flow_ref> flows_; // by hash
  std::size_t most_ = most_unused; // number from which on unused ones go
};

} // namespace libpool
