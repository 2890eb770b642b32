#pragma once

#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace libpool {

/// The options of `first_success`. Their bounds and meanings are in
/// `options_in`, and listed in docs/policies.md.
struct first_success_options {
  std::size_t asked = 2;
};

std::vector<option> options_in(first_success_options& options);

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
