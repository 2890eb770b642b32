#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/gather/hedge_delay.hpp"
#include "libpool/policies/option.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Options of the gather plan `hedged`, also listed in docs/policies.md.
struct hedged_options {
  /// Delay after which a second worker is asked: a time above 0, or a
  /// percentile of the answer times of first workers; default: the 95th
  /// percentile.
  hedge_delay after = percentile{95};
  /// Maximum share of messages that a second worker gets, in percent of all
  /// messages; above 0 and at most 100; default: 5.
  double budget = 5;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(hedged_options& options);

/// Gather plan that sends the whole message to one worker, and to a second
/// worker if the first one has not answered after a delay. The first success is
/// the answer. An error is an answer, too: if the first worker answers with an
/// error within the delay, no second worker is asked.
///
/// The plan is meant for short messages whose answers must not be delayed by a
/// slow worker. The delay begins when the message is sent to the first worker,
/// so the waiting time in the pool does not count. The option `budget` limits
/// the share of messages with a second worker, over all messages of the pool,
/// so that an overloaded pool does not do all work twice.
///
/// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
/// Load:   at most `budget` percent more tasks than messages.
/// Cost:   O(1) per message; with a percentile O(buckets of a histogram).
/// Time:   with a percentile, second workers are asked only after 100 first
///         workers have answered.
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
class LIBPOOL_EXPORT hedged final : public gather_plan {
public:
  /// Makes a plan for a pool that has not received a message yet.
  explicit hedged(const hedged_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns an object that decides when a message is answered: with the first
  /// success of a worker.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns how many workers get a message at first: one.
  scatter asks() const noexcept override;
  bool has_patience() const noexcept override;
  void message_came() noexcept override;
  std::optional<duration> patience() const noexcept override;
  void first_answered(duration after) noexcept override;
  bool may_ask_another() const noexcept override;
  void asked_another() noexcept override;

private:
  hedged_options options_;
  histogram answers_; // times of first workers
  std::uint64_t messages_ = 0;
  std::uint64_t asked_twice_ = 0;
};

} // namespace libpool
