#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/core/histogram.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

namespace libpool {

/// A share of all that was seen so far, such as the 95th: in percent.
struct percentile {
  double percent = 95;
};

/// When a second worker is asked: after a time, or when as many of those asked
/// before have been answered by then as the percentile says.
using hedge_delay = std::variant<duration, percentile>;

struct hedged_options {
  /// More than 0 ns, or a percentile between 0 and 100.
  hedge_delay after = percentile{95};
  /// How many messages may be handled twice: in percent of all messages, more
  /// than 0 and at most 100.
  double budget = 5;
};

/// The whole message for one worker, and for a second one if the first has not
/// answered in time; the first success is the answer. A worker that answers in
/// time with an error has answered.
///
/// For short messages of which a slow worker must not make a slow answer. The
/// delay begins when the first worker has the message, so waiting counts for
/// nothing, and the budget holds for the pool: one that is slow because it has
/// too much to do is not helped by doing everything twice.
///
/// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
/// Load:   at most `budget` percent more.
/// Cost:   O(1), but for O(buckets of a histogram) per message by percentile.
/// Time:   by percentile, second workers are asked once a hundred first ones
///         have answered.
/// Errors: std::invalid_argument names the option that is out of bounds.
class hedged final : public gather_plan {
public:
  explicit hedged(const hedged_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<gather_votes> make_votes() const override;
  scatter asks() const noexcept override;
  bool has_patience() const noexcept override;
  void message_came() noexcept override;
  std::optional<duration> patience() const noexcept override;
  void first_answered(duration after) noexcept override;
  bool may_ask_another() const noexcept override;
  void asked_another() noexcept override;

private:
  hedged_options options_;
  histogram answers_; // how long first workers took
  std::uint64_t messages_ = 0;
  std::uint64_t asked_twice_ = 0;
};

} // namespace libpool
