#include "libpool/policies/gather/quorum.hpp"

#include "libpool/policies/gather/vote_count.hpp"
#include "libpool/policies/requirement.hpp"

#include <string>

namespace libpool {

std::vector<option> options_in(quorum_options& options) {
  return {
    {"asked", count_option{options.asked, 1},
     "number of workers that get the message; all workers if the pool has "
     "fewer"},
    {"needed", count_option{options.needed, 1},
     "number of workers that have to succeed; at most the number of workers "
     "that get the message"},
    {"timeout", time_option{options.timeout},
     "maximum time from the arrival of a message to its answer", "unlimited"},
  };
}

quorum::quorum(const quorum_options& options) : options_(options) {
  if (options.needed == 0 || options.needed > options.asked)
    throw option_error("quorum: k must be between 1 and n ("
                       + std::to_string(options.asked) + "), got "
                       + std::to_string(options.needed));
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
