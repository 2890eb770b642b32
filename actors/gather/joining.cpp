/// How a collector makes one answer of many.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gather/collector.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/exit_reason.hpp>

#include <string>
#include <utility>

namespace libpool {

namespace {

/// Returns the managed pool if it has ended; otherwise nullptr.
caf::strong_actor_ptr ended_pool(const caf::actor_addr& pool) {
  auto result = reach(pool);
  const auto* inner = result != nullptr
                        ? dynamic_cast<const inner_pool*>(result->get())
                        : nullptr;
  return inner != nullptr && inner->may_have_ended() ? result : nullptr;
}

} // namespace

// -- joining ------------------------------------------------------------------

/// Returns whether to go on.
bool collector::join(std::size_t i, caf::message& result, host_ptr host) {
  try {
    if (!home_->are_ordered()) {
      join_one(result);
      return true;
    }
    early_[i] = std::move(result);
    for (; joined_ < parts_.size() && !parts_[joined_].open; ++joined_)
      if (auto& next = early_[joined_])
        join_one(*next);
    return true;
  } catch (...) {
    fail(errc::policy_failed, thrown_text(), host);
    return false;
  }
}

void collector::join_one(caf::message& result) {
  call_user("join", [&] { join_->join(result); });
}

void collector::decide(host_ptr host) {
  auto verdict = votes_->decide();
  switch (verdict.is) {
    case verdict::decision::wait:
      return set_waker();
    case verdict::decision::ask:
      set_waker();
      return ask_more(verdict.count, host);
    case verdict::decision::answer:
      return has_result() ? succeed(host) : fail_for_all(1, host);
    case verdict::decision::fail:
      return fail(verdict, host);
  }
}

/// Lets the pool ask `n` more workers, unless it is about to ask some, or has
/// found no worker before.
void collector::ask_more(std::size_t n, host_ptr host) {
  if (wanted_ > 0 || found_nobody_)
    return;
  wanted_ = n;
  auto pool = reach(home_->told());
  auto me = reach(address());
  if (is_awaited_ && pool && me)
    home_->owner().wanted(*of_, std::move(me), n, host);
  else
    has_found_nobody(host);
}

void collector::has_found_nobody(host_ptr host) {
  if (client_ == nullptr)
    return;
  wanted_ = 0;
  found_nobody_ = true;
  votes_->found_nobody(now());
  decide(host);
}

/// Workers that have answered with nothing have answered.
void collector::expire(host_ptr host) {
  if (asks_ && names_of_missing().empty())
    return succeed(host);
  votes_->time_passed(now());
  decide(host);
}

// -- answering ----------------------------------------------------------------

void collector::succeed(host_ptr host) {
  caf::message content;
  try {
    for (; joined_ < early_.size(); ++joined_)
      if (auto& next = early_[joined_])
        join_one(*next);
    content = call_user("join", [this] { return join_->joined(); });
  } catch (...) {
    return fail(errc::policy_failed, thrown_text(), host);
  }
  answer(std::move(content), host);
}

void collector::fail(const verdict& verdict, host_ptr host) {
  if (verdict.why == errc::too_few_answers)
    return fail_for_all(verdict.count, host);
  auto why = verdict.why == errc::timeout
               ? names_of_missing() + " did not answer in time"
               : std::string{to_string(verdict.why)};
  fail(verdict.why, std::move(why), host);
}

void collector::fail(errc code, std::string why, host_ptr host) {
  failures_.assign(1, make_error(code, std::move(why)));
  if (code != errc::worker_failed)
    note_unhandled(failures_.front());
  fail_for_all(1, host);
}

/// Answers with the errors so far.
void collector::fail_for_all(std::size_t needed, host_ptr host) {
  if (client_ == nullptr)
    return;
  if (failures_.empty() && !removed_.empty()) {
    failures_.push_back(make_error(
      errc::worker_down, "workers removed before they began: " + removed_));
    note_unhandled(failures_.front());
  }
  if (!client_->mid.is_request())
    client_->sender = nullptr; // no client has asked, and CAF's actors die of
                               // stray errors
  auto* outer = tracked_element::from(*client_);
  if (outer != nullptr && unhandled_)
    outer->settled(*unhandled_);
  if (failures_.size() == 1)
    return answer(caf::make_message(std::move(failures_.front())), host);
  auto why = std::to_string(needed) + " of " + std::to_string(parts_.size())
             + " answers required, got " + std::to_string(successes_);
  answer(caf::make_message(make_error(errc::too_few_answers, why, failures_)),
         host);
}

/// The end of the pool is told in its name.
void collector::answer(caf::message content, host_ptr host) {
  auto ended = unhandled_ && content.match_elements<caf::error>()
                 ? ended_pool(home_->told())
                 : nullptr;
  auto client = std::move(client_);
  waker_.set(never);
  join_ = nullptr;
  early_.clear(); // nothing of the user's is kept
  failures_.clear();
  auto me = reach(address()); // unless it ends
  libpool::answer(take_return_path(*client), ended != nullptr ? ended : me,
                  std::move(content), host);
  let_go(std::move(client));
  if ((open_ > 0 || tells_) && !asks_ && (me != nullptr || is_awaited_))
    if (auto pool = reach(home_->told()))
      home_->owner().decided(*of_, std::move(me), host);
  rest_if_done();
}

/// Is free for another message if no worker owes it an answer.
void collector::rest_if_done() {
  constexpr std::size_t many = 1024; // workers, of which most are gone
  if (open_ > 0 || client_ != nullptr || watched_.size() > many)
    return;
  auto me = reach(address());
  if (me && was_sent_abroad_) // CAF's registry would keep it
    cleanup(caf::exit_reason::normal, nullptr);
  else if (me)
    home_->give_back(std::move(me));
}

std::string collector::name_of(std::size_t i) const {
  return asks_ ? watched_[parts_[i].watched].name
               : "part " + std::to_string(i + 1);
}

/// The names of the workers that have not answered at all.
std::string collector::names_of_missing() const {
  std::string result;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].open && !parts_[i].acknowledged)
      result += (result.empty() ? "" : ", ") + name_of(i);
  return result;
}

} // namespace libpool
