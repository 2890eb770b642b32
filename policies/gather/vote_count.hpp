#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// Rules by which a message that several tasks handle is answered, or fails.
struct vote_rules {
  /// Number of tasks that have to succeed before the message is answered;
  /// unset: all tasks.
  std::optional<std::size_t> needed = std::nullopt;
  /// Whether the message is answered only after all of its tasks have ended,
  /// and one success is then enough. If false, which is the default, `needed`
  /// applies.
  bool is_lenient = false;
  /// Maximum time from the start of the message's tasks to the answer; unset:
  /// unlimited. After this time the message fails. Exception: with
  /// `is_lenient`, one success is enough for an answer.
  std::optional<duration> timeout = std::nullopt;
};

/// Decides when a message that several tasks handle is answered, by counting
/// successes. The message is answered as soon as enough tasks have succeeded,
/// and fails as soon as too few tasks can still succeed. If `is_lenient` is
/// set, the decision waits until all tasks have ended, or until the timeout.
///
/// | wanted                              | `needed`             |
/// | ----------------------------------- | -------------------- |
/// | a success of each task              | unset                |
/// | the first success                   | 1                    |
/// | a quorum, k of n                    | k                    |
/// | each success, once all have ended   | unset, `is_lenient`  |
///
/// The number of needed successes does not change when more workers are asked.
/// If `needed` is unset, a worker that is removed from the pool before it
/// begins its task does not have to succeed, but at least one success is
/// needed.
class LIBPOOL_EXPORT vote_count final : public gather_votes {
public:
  /// Makes an object with the given rules, which does not count for any message
  /// yet.
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
