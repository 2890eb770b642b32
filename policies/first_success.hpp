#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <memory>

namespace libpool {

struct first_success_options {
  /// How many workers are asked: all, if there are fewer. At least 1.
  std::size_t asked = 2;
};

/// The whole message for some workers; the first success is the answer, and
/// tasks that have not begun by then are cancelled. It fails when all have.
///
/// For messages that may fail here and work there, and for short ones where the
/// fastest worker is worth the work of the others.
///
/// Load:   up to `asked` times the work.
/// Errors: std::invalid_argument if no worker is asked.
class first_success final : public gather_plan {
public:
  explicit first_success(const first_success_options& options = {});

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<gather_votes> make_votes() const override;
  scatter asks() const noexcept override;

private:
  first_success_options options_;
};

} // namespace libpool
