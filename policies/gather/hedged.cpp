#include "libpool/policies/gather/hedged.hpp"

#include "libpool/policies/gather/vote_count.hpp"

#include <algorithm>

namespace libpool {

std::vector<option> options_in(hedged_options& options) {
  return {
    {"after", delay_option{&options.after},
     "delay after which a second worker gets the message: a fixed time, or a "
     "percentile of the answer times of first workers, used once 100 answer "
     "times are known"},
    {"budget", number_option{options.budget, 0, 100},
     "maximum share of messages that are handled twice, in percent"},
  };
}

hedged::hedged(const hedged_options& options) : options_(options) {
  check_each(options);
}

std::unique_ptr<gather_plan> hedged::clone() const {
  return std::make_unique<hedged>(options_);
}

std::unique_ptr<gather_votes> hedged::make_votes() const {
  return std::make_unique<vote_count>(vote_rules{1, false, std::nullopt});
}

scatter hedged::asks() const noexcept {
  return {};
}

bool hedged::has_patience() const noexcept {
  return true;
}

void hedged::message_came() noexcept {
  ++messages_;
}

std::optional<duration> hedged::patience() const noexcept {
  constexpr std::uint64_t enough = 100;
  if (const auto* fixed = std::get_if<duration>(&options_.after))
    return *fixed;
  if (answers_.count() < enough)
    return std::nullopt;
  auto rank = std::get<percentile>(options_.after).percent;
  return std::max(answers_.percentile(rank), duration{1});
}

void hedged::first_answered(duration after) noexcept {
  answers_.record(after);
}

bool hedged::may_ask_another() const noexcept {
  auto most = static_cast<double>(messages_) * options_.budget / 100;
  return static_cast<double>(asked_twice_ + 1) <= most;
}

void hedged::asked_another() noexcept {
  ++asked_twice_;
}

} // namespace libpool
