#include "libpool/policies/quorum.hpp"

#include "libpool/policies/requirement.hpp"
#include "libpool/policies/vote_count.hpp"

#include <string>

namespace libpool {

std::vector<option> options_in(quorum_options& options) {
  return {
    {"asked", count_option{options.asked, 1},
     "how many workers are asked; all, if there are fewer"},
    {"needed", count_option{options.needed, 1},
     "how many of them have to succeed; at most all"},
    {"timeout", time_option{options.timeout},
     "how long the workers may take to answer", "for ever"},
  };
}

quorum::quorum(const quorum_options& options) : options_(options) {
  if (options.needed == 0 || options.needed > options.asked)
    throw option_error("quorum: k must be from 1 to n, is "
                       + std::to_string(options.needed) + " of "
                       + std::to_string(options.asked));
  check_each(options);
}

std::unique_ptr<gather_plan> quorum::clone() const {
  return std::make_unique<quorum>(*this);
}

std::unique_ptr<gather_votes> quorum::make_votes() const {
  return std::make_unique<vote_count>(
    vote_rules{options_.needed, false, options_.timeout});
}

scatter quorum::asks() const noexcept {
  scatter result;
  result.asked = options_.asked;
  result.needed = options_.needed;
  result.stops_rest = false;
  return result;
}

bool quorum::is_timed() const noexcept {
  return options_.timeout.has_value();
}

} // namespace libpool
