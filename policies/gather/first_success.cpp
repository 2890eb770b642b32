#include "libpool/policies/gather/first_success.hpp"

#include "libpool/policies/gather/vote_count.hpp"

namespace libpool {

std::vector<option> options_in(first_success_options& options) {
  return {
    {"asked", count_option{options.asked, 1},
     "number of workers that get the message; all workers if the pool has "
     "fewer"},
  };
}

first_success::first_success(const first_success_options& options)
  : options_(options) {
  check_each(options);
}

std::unique_ptr<gather_plan> first_success::clone() const {
  return std::make_unique<first_success>(*this);
}

std::unique_ptr<gather_votes> first_success::make_votes() const {
  return std::make_unique<vote_count>(vote_rules{1, false, std::nullopt});
}

scatter first_success::asks() const noexcept {
  scatter result;
  result.asked = options_.asked;
  return result;
}

} // namespace libpool
