#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/policies/hedge_delay.hpp"
#include "libpool/policies/option.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// The options of `hedged`. Their bounds and meanings are in `options_in`, and
/// listed in docs/policies.md.
struct hedged_options {
  hedge_delay after = percentile{95};
  double budget = 5;
};

std::vector<option> options_in(hedged_options& options);

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
