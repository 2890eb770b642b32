#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <optional>

namespace libpool {

/// When counted votes are decided.
struct vote_rules {
  /// How many successes are enough; none: as many as tasks were made.
  std::optional<std::size_t> needed = std::nullopt;
  /// Whether one success is enough, but does not count before all tasks have
  /// ended.
  bool is_lenient = false;
  /// Time from the beginning after which the votes fail; if lenient, they are
  /// answered if there is a success by then.
  std::optional<duration> timeout = std::nullopt;
};

/// Votes that are counted. They succeed as soon as there are enough successes,
/// and fail as soon as there cannot be enough any more.
///
/// | wanted                           | `needed`                      |
/// | -------------------------------- | ----------------------------- |
/// | a success of each                | none                          |
/// | the first success                | 1                             |
/// | a quorum, k of n                 | k                             |
/// | what comes, when all have ended  | none, `is_lenient`            |
///
/// More workers that are asked add to the chances, not to the number that is
/// needed. Where a success of each is wanted, none is needed of workers that
/// were taken out before they began, but one success in any case.
class vote_count final : public gather_votes {
public:
  explicit vote_count(const vote_rules& rules) noexcept : rules_(rules) {
    // nop
  }

  void began(std::size_t tasks, instant now) noexcept override;
  void asked_another(instant now) noexcept override;
  void succeeded(std::size_t task, instant now) noexcept override;
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
