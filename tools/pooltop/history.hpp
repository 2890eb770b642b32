#pragma once

#include "model.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace pooltop {

/// What was told of a pool at one time; nothing where the server was silent.
struct sample {
  value waiting;
  value completed_per_s;
};

/// What is known of one pool's past.
struct past {
  std::deque<sample> samples; ///< the latest last
};

/// The latest samples of each pool.
class history {
public:
  static constexpr std::size_t most_samples = 60;

  /// Of pools that are not in it any more the past is forgotten.
  void add(const snapshot& told);

  /// The server was silent: sparklines get a gap.
  void add_gap();

  /// Empty for a pool that is not known.
  const past& of(const std::string& pool) const;

private:
  std::map<std::string, past> pools_;
};

} // namespace pooltop
