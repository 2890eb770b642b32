#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"

#include <memory>

namespace libpool {

/// One task for each part of a message, wherever there is room; all results are
/// joined. It fails with the first part that does, or leaves that out with
/// `join_what_came`, as long as there is a result.
///
/// For one big message of many parts.
///
/// Load:   parts count like messages.
/// Time:   `timeout` counts from when the message has come.
/// Errors: std::invalid_argument for a timeout that is not above 0.
class gather_parts final : public gather_plan {
public:
  explicit gather_parts(const gather_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<gather_votes> make_votes() const override;
  scatter asks() const noexcept override;
  bool is_timed() const noexcept override;

private:
  gather_options options_;
};

} // namespace libpool
