#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// Rules for deciding by counted votes.
struct vote_rules {
  /// Number of successes that are enough; unset: the number of tasks.
  std::optional<std::size_t> needed = std::nullopt;
  /// Whether one success is enough, once all tasks have ended.
  bool is_lenient = false;
  /// Time from the start of the votes until they fail; if lenient and there is
  /// a success by then, they are answered instead.
  std::optional<duration> timeout = std::nullopt;
};

/// Votes that are decided by counting: they succeed as soon as there are enough
/// successes, and fail as soon as there cannot be enough any more.
///
/// | wanted                              | `needed`             |
/// | ----------------------------------- | -------------------- |
/// | a success of each task              | unset                |
/// | the first success                   | 1                    |
/// | a quorum, k of n                    | k                    |
/// | all successes, when all have ended  | unset, `is_lenient`  |
///
/// Asking more workers raises the chances, not the number of successes needed.
/// If `needed` is unset, a worker that is taken out of the pool before it
/// begins does not have to succeed, but at least one success is needed.
class vote_count final : public gather_votes {
public:
  /// Makes votes without a message.
  explicit vote_count(const vote_rules& rules) noexcept : rules_(rules) {
    // nop
  }

  void began(std::size_t tasks, instant now) noexcept override;
  void asked_another(instant now) noexcept override;
  /// Counts the success of a task.
  void succeeded(std::size_t task, instant now) noexcept override;
  /// Counts the failure of a task.
  void failed(std::size_t task, instant now) noexcept override;
  void removed(std::size_t task, instant now) noexcept override;
  void time_passed(instant now) noexcept override;
  verdict decide() const noexcept override;
  instant next_tick() const noexcept override;

private:
  const vote_rules rules_;
  std::size_t needed_ = 0;
  std::size_t successes_ = 0;
  std::size_t outstanding_ = 0;
  instant expires_ = never;
  bool is_late_ = false;
};

} // namespace libpool
