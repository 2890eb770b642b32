#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// Options of the gather plan `quorum`, also listed in docs/policies.md.
struct quorum_options {
  /// Number of workers that get the message, at least 1; all workers if the
  /// pool has fewer; default: 3.
  std::size_t asked = 3;
  /// Number of workers that have to succeed, at least 1 and at most `asked`;
  /// default: 2.
  std::size_t needed = 2;
  /// Maximum time from the arrival of the message until `needed` workers have
  /// succeeded, above 0; unset: unlimited.
  std::optional<duration> timeout = std::nullopt;
};

/// Returns a description of each option: its name, its meaning, its bounds and
/// a reference to its value in `options`.
LIBPOOL_EXPORT std::vector<option> options_in(quorum_options& options);

/// Gather plan that sends the whole message to `asked` workers. The message is
/// answered when `needed` workers have succeeded, and fails as soon as fewer
/// than `needed` workers can still succeed. All of the `asked` workers handle
/// the message, even after the answer, because a late replica must not miss an
/// update.
///
/// The plan is meant for replicas that have to agree. With n workers, a read
/// from r workers sees each write to w workers if w + r > n.
///
/// Source: D. K. Gifford, Weighted Voting for Replicated Data, 1979.
/// Load:   `asked` times the work.
/// Time:   `timeout` counts from the arrival of the message.
/// Errors: std::invalid_argument if an option is out of bounds; the error names
///         the option.
class LIBPOOL_EXPORT quorum final : public gather_plan {
public:
  /// Makes a plan with the given options.
  explicit quorum(const quorum_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  /// Returns an object that decides when a message is answered: when `needed`
  /// workers have succeeded.
  std::unique_ptr<gather_votes> make_votes() const override;
  /// Returns which workers get the message: `asked` workers, one task each for
  /// the whole message.
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  quorum_options options_;
};

} // namespace libpool
