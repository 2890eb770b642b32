#include "libpool/policies/broadcast_all.hpp"

#include "libpool/policies/vote_count.hpp"

namespace libpool {

broadcast_all::broadcast_all(const gather_options& options)
  : options_(options) {
  check(options);
}

std::unique_ptr<gather_plan> broadcast_all::clone() const {
  return std::make_unique<broadcast_all>(*this);
}

std::unique_ptr<gather_votes> broadcast_all::make_votes() const {
  return std::make_unique<vote_count>(all_of(options_));
}

scatter broadcast_all::asks() const noexcept {
  scatter result;
  result.to = scatter::target::everybody;
  return result;
}

bool broadcast_all::is_timed() const noexcept {
  return options_.timeout.has_value();
}

} // namespace libpool
