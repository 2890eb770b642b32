#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace libpool {

/// The options of `quorum`. Their bounds and meanings are in `options_in`, and
/// listed in docs/policies.md.
struct quorum_options {
  std::size_t asked = 3;
  std::size_t needed = 2;
  std::optional<duration> timeout = std::nullopt;
};

std::vector<option> options_in(quorum_options& options);

/// The whole message for some workers; it is answered when k of them have
/// succeeded, and fails as soon as fewer than that can. All of them do it, even
/// after the answer: a replica that is late must not miss anything.
///
/// For replicas that have to agree: with n workers, writes of w and reads of r
/// see each other if w + r > n.
///
/// Source: D. K. Gifford, Weighted Voting for Replicated Data, 1979.
/// Load:   `asked` times the work.
/// Time:   `timeout` counts from when the message has come.
/// Errors: std::invalid_argument names the option that is out of bounds.
class quorum final : public gather_plan {
public:
  explicit quorum(const quorum_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<gather_votes> make_votes() const override;
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  quorum_options options_;
};

} // namespace libpool
