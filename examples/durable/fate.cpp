#include "fate.hpp"

#include <algorithm>

namespace durable {

namespace {

constexpr duration first_pause{100};
constexpr duration longest_pause{10'000};

/// After that many doublings the longest pause is reached.
constexpr std::uint64_t doublings = 7;

} // namespace

bool has_succeeded(const libpool::settled_task& task) {
  return task.how == libpool::outcome::completed && !task.answered_with_error;
}

fate after_attempt(bool succeeded, std::uint64_t attempt, unsigned retries) {
  if (succeeded)
    return fate::done;
  return attempt <= retries ? fate::again : fate::dead;
}

bool is_poison(std::uint64_t attempt, unsigned retries) {
  return attempt > std::uint64_t{retries} + 1;
}

duration pause_after(std::uint64_t attempt) {
  const auto times = std::min(attempt - 1, doublings);
  return std::min(first_pause * (1 << times), longest_pause);
}

} // namespace durable
