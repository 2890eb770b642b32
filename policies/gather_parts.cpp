#include "libpool/policies/gather_parts.hpp"

#include "libpool/policies/vote_count.hpp"

namespace libpool {

gather_parts::gather_parts(const gather_options& options) : options_(options) {
  check(options);
}

std::unique_ptr<gather_plan> gather_parts::clone() const {
  return std::make_unique<gather_parts>(*this);
}

std::unique_ptr<gather_votes> gather_parts::make_votes() const {
  return std::make_unique<vote_count>(all_of(options_));
}

scatter gather_parts::asks() const noexcept {
  scatter result;
  result.to = scatter::target::parts;
  return result;
}

bool gather_parts::is_timed() const noexcept {
  return options_.timeout.has_value();
}

} // namespace libpool
