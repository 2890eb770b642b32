#pragma once

#include "model.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace pooltop {

/// Values of a pool at one time; unset if the server did not answer.
struct sample {
  value waiting;
  value completed_per_s;
};

/// Known past of one pool.
struct past {
  std::deque<sample> samples; ///< the latest last
};

/// The latest samples of each pool.
class history {
public:
  static constexpr std::size_t most_samples = 60;

  /// Adds a sample of each pool, and forgets pools that are not in the
  /// snapshot.
  void add(const snapshot& told);

  /// Adds a gap to all pools, since the server did not answer.
  void add_gap();

  /// Returns the past of the pool; empty if the pool is unknown.
  const past& of(const std::string& pool) const;

private:
  std::map<std::string, past> pools_;
};

} // namespace pooltop
