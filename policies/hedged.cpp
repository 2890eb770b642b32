#include "libpool/policies/hedged.hpp"

#include "libpool/policies/requirement.hpp"
#include "libpool/policies/vote_count.hpp"

#include <algorithm>
#include <string>

namespace libpool {

namespace {

void check(const hedged_options& options) {
  auto budget = options.budget;
  if (!(budget > 0 && budget <= 100))
    throw option_error("hedged: budget must be above 0 and at most 100 "
                       "percent, is "
                       + std::to_string(budget));
  if (const auto* rank = std::get_if<percentile>(&options.after)) {
    if (!(rank->percent > 0 && rank->percent < 100))
      throw option_error("hedged: the percentile must be above 0 and below "
                         "100, is "
                         + std::to_string(rank->percent));
  } else if (std::get<duration>(options.after).count() <= 0) {
    throw option_error("hedged: the delay must be more than 0 ns");
  }
}

} // namespace

hedged::hedged(const hedged_options& options) : options_(options) {
  check(options);
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
