/// How users pause a managed pool and its parts, and limit its tasks.

#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace libpool {

caf::error managed_pool::pause(const pause_scope& which) {
  return ask([this, &which] { return pause_here(which, nullptr); });
}

caf::error managed_pool::resume(const pause_scope& which) {
  return ask([this, &which] { return resume_here(which, nullptr); });
}

caf::error managed_pool::set_limits(const throttles& within) {
  return ask([this, &within]() -> caf::error {
    if (!endings_.accepts())
      return errc::pool_closed;
    if (auto why = libpool::objection_to(within))
      return invalid_argument("set_limits: " + *why);
    if (auto why = objection_to_flows("set_limits"))
      return why;
    if (limits_rate(within) && dispatcher_.is_eager())
      return invalid_argument(
        "set_limits: most_begun requires lazy assignment");
    flight_.tell_ends();
    dispatcher_.limited(within, now());
    return {};
  });
}

/// Returns why the pool cannot carry out a command about flows.
caf::error managed_pool::objection_to_flows(const char* of) const {
  if (dispatcher_.may_throttle())
    return {};
  return invalid_argument(std::string{of}
                          + ": the pool does not know the flows of its "
                            "messages: set managed_options::throttles or "
                            "throttled_by, or use fair_queuing");
}

/// Returns why the scope cannot be paused or resumed.
caf::error managed_pool::objection_to(const pause_scope& which) const {
  if (!endings_.accepts())
    return errc::pool_closed;
  auto parts = (which.flow ? 1 : 0) + (which.worker ? 1 : 0)
               + (which.node.empty() ? 0 : 1);
  if (parts > 1)
    return invalid_argument("pause_scope: set one of flow, worker and node");
  if (which.flow)
    if (auto why = objection_to_flows("pause_scope"))
      return why;
  auto needs_worker = which.worker || !which.node.empty();
  if (needs_worker && !staff_.knows(which))
    return invalid_argument(
      which.worker ? "pause_scope: the actor is not a worker of the pool"
                   : "pause_scope: the pool has no node '" + which.node + "'");
  return {};
}

/// Takes back what workers have not begun: a command that has returned has
/// taken effect. The message that was sent last comes first.
void managed_pool::recall_paused() {
  const auto sent = dispatcher_.tasks_at_workers();
  for (auto i = sent.rbegin(); i != sent.rend(); ++i) {
    auto& task = static_cast<managed_task&>(**i);
    if (task.recalled)
      flight_.recall(task, worker_of(task));
  }
}

/// Wants messages of the scope back that nodes have not begun. The message that
/// was sent last comes first.
void managed_pool::take_back_from_nodes(const pause_scope& which,
                                        host_ptr host) {
  messages_at_pools wanted;
  const auto sent = dispatcher_.tasks_at_workers();
  for (auto i = sent.rbegin(); i != sent.rend(); ++i) {
    auto& task = static_cast<managed_task&>(**i);
    const auto& worker = worker_of(task);
    auto is_in_scope = which.flow ? task.notes().flow.name() == *which.flow
                                  : which.is_pool() || is_meant(which, worker);
    if (worker.node != nullptr && is_in_scope)
      wanted.add(task, worker);
  }
  wanted.tell([host](inner_pool& pool, const inner_messages& messages) {
    pool.wanted_back(messages, host);
  });
}

/// The messages of nodes are looked at when messages that were not opened have
/// been recalled.
caf::error managed_pool::pause_here(const pause_scope& which, host_ptr host) {
  if (auto why = objection_to(which))
    return why;
  flight_.tell_ends();
  if (which.flow)
    dispatcher_.suspended(*which.flow, now());
  else if (which.is_pool())
    dispatcher_.suspended(now());
  else
    staff_.pause(which, true, host);
  recall_paused();
  if (entrance() != nullptr)
    tell([this, which](host_ptr here) { take_back_from_nodes(which, here); },
         host);
  return {};
}

/// Requests that wait until nothing runs are answered with an error.
caf::error managed_pool::resume_here(const pause_scope& which, host_ptr host) {
  if (auto why = objection_to(which))
    return why;
  if (which.flow)
    dispatcher_.reinstated(*which.flow, now());
  else if (which.is_pool())
    dispatcher_.reinstated(now());
  else
    staff_.pause(which, false, host);
  answer_pauses([&](const auto& each) { return each.second == which; },
                errc::cancelled, host);
  return {};
}

/// Answers the request when nothing of the scope runs any more.
void managed_pool::pause(caf::mailbox_element& element,
                         const pause_scope& which, host_ptr host) {
  if (auto why = pause_here(which, host))
    return answers_.confirm(element, why, host);
  if (element.mid.is_request())
    pauses_.emplace_back(take_return_path(element), which);
}

/// Whether no handler of the scope runs.
bool managed_pool::is_quiet(const pause_scope& which) const {
  const auto& books = dispatcher_.books();
  if (which.flow)
    return dispatcher_.gates().running(*which.flow) == 0;
  if (which.is_pool())
    return books.sent + books.running + dispatcher_.overdue() == 0;
  auto all = staff_.workers().all(); // a worker may have left the serving ones
  return std::all_of(all.begin(), all.end(), [&](auto* each) {
    return each->in_mailbox == 0 || !is_meant(which, *each);
  });
}

/// Answers the requests for which `f` returns true.
template <class F>
void managed_pool::answer_pauses(F f, errc why, host_ptr host) {
  auto i = std::stable_partition(pauses_.begin(), pauses_.end(),
                                 [&](const auto& each) { return !f(each); });
  std::vector<std::pair<return_path, pause_scope>> ended{
    std::make_move_iterator(i), std::make_move_iterator(pauses_.end())};
  pauses_.erase(i, pauses_.end());
  for (auto& each : ended)
    answers_.send(std::move(each.first),
                  why == errc{} ? caf::message{}
                                : caf::make_message(make_error(why)),
                  host);
}

void managed_pool::answer_quiet_pauses(host_ptr host) {
  answer_pauses([this](const auto& each) { return is_quiet(each.second); },
                errc{}, host);
}

/// Ends all pauses, since the pool drains or ends.
void managed_pool::end_pauses(host_ptr host) {
  staff_.end_pauses(host);
  dispatcher_.all_reinstated(now());
  answer_pauses([](const auto&) { return true; }, errc::pool_closed, host);
}

} // namespace libpool
