#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace test {

using make_plan = std::function<std::unique_ptr<libpool::gather_plan>()>;

/// How messages fared that a plan has gathered, in a world without actors.
struct gather_outcome {
  /// The first law that did not hold; empty if all did.
  std::string broken;
  /// All facts and decisions, in words.
  std::string trace;
  std::size_t answered = 0;
  std::size_t failed = 0;
  /// Workers that were asked later, for the votes or for patience.
  std::size_t asked_later = 0;
  /// The largest share of all messages, in percent, for which another worker
  /// had been asked for patience.
  double asked_again = 0;
};

/// Whether votes serve one message after the other.
enum class votes_are { used_again, made };

/// Has a plan gather some hundred messages while tasks end well or badly, time
/// passes, and workers join and leave, all as drawn from the seed.
///
/// The laws:
/// - each message is answered once, at the latest when all of its tasks have
///   ended and nobody else can be asked;
/// - no worker is asked twice for a message, and none after the answer;
/// - it does not answer a message with fewer successes than it needs, or none,
/// nor fail
///   one for too few that may still have as many;
/// - a time that it wants to be told is in the future.
gather_outcome run_gather(const make_plan& make, std::uint64_t seed,
                          votes_are how = votes_are::used_again);

} // namespace test
