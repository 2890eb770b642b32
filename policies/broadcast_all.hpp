#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

namespace libpool {

/// The whole message for each worker that serves; all results are joined. It
/// fails with the first worker that does, or leaves that out with
/// `join_what_came`. A worker that is taken out before it begins is left out in
/// any case. Without any result the message fails.
///
/// For messages that every worker has to know, or data of which each worker has
/// a part.
///
/// Load:   a task for each worker; a busy one makes the answer late.
/// Time:   `timeout` counts from when the message has come.
/// Errors: std::invalid_argument for a timeout that is not above 0.
class broadcast_all final : public gather_plan {
public:
  explicit broadcast_all(const gather_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<gather_votes> make_votes() const override;
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
