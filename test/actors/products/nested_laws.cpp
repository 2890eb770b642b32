/// Laws of requests of workers to their own pools.

#include "nested_laws.hpp"

#include <algorithm>

namespace products {

namespace {

const message_record& message_at(const world& w, int number) {
  return w.told().messages[static_cast<std::size_t>(number)];
}

/// Whether all requests of the run were answered with results.
bool succeeded(const world& w, const std::vector<int>& run) {
  return std::all_of(run.begin(), run.end(), [&](int number) {
    const auto& answer = message_at(w, number).answer;
    return answer.came() && !answer.error();
  });
}

bool has_failed_with(const world& w, const std::vector<int>& run,
                     const caf::error& why) {
  return std::any_of(run.begin(), run.end(), [&](int number) {
    return message_at(w, number).answer.error() == why;
  });
}

/// Whether a message that has begun fails with the error of its handler only.
bool handlers_alone_fail(const scenario& how) {
  return how.events.empty() && !how.loses_workers() && !how.has_deadline
         && !how.retries && !how.is_durable && !how.has_lines()
         && how.gather == gather::none
         && how.shape != shape::split_join_in_managed;
}

} // namespace

std::string nested_violation(const world& w, const message_record& message) {
  auto answer = w.answer_to(message);
  if (message.asker && answer.error() == libpool::errc::cycle
      && !w.home_of(*message.asker).notices_waits)
    return "a request fails for a cycle in a pool whose workers never wait";
  auto may_share = w.how().joins && !message.asker;
  if (message.does != handling::asks_own_pool || !answer.came() || may_share)
    return {};
  const auto& runs = message.asked;
  if (auto why = answer.error()) {
    auto is_of_run = [&](const auto& run) {
      return has_failed_with(w, run, why);
    };
    return handlers_alone_fail(w.how()) && !runs.empty()
               && std::none_of(runs.begin(), runs.end(), is_of_run)
             ? "a request fails with an error that its handler did not get"
             : "";
  }
  return std::none_of(runs.begin(), runs.end(),
                      [&](const auto& run) { return succeeded(w, run); })
           ? "a request succeeds whose handlers got errors from their pool"
           : "";
}

bool may_fail_early(const world& w, const message_record& message) {
  if (!message.asker)
    return false;
  return message.answer.error() == libpool::errc::cycle
         || !lives(w.home_of(*message.asker).address);
}

bool handlers_may_wait(const world& w) {
  const auto& all = w.told().messages;
  return std::any_of(all.begin(), all.end(), [&](const auto& each) {
    return each.asker && each.promise_is_lost
           && !w.home_of(*each.asker).watches;
  });
}

} // namespace products
