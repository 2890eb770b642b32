#include "libpool/actors/managed/pauses.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/messages_at_pools.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace libpool {

caf::error objection_to_flows(const dispatcher& dispatcher,
                              const std::string& command) {
  if (dispatcher.needs().may_throttle)
    return {};
  return invalid_argument(command
                          + ": the pool does not know the flows of its "
                            "messages: set managed_options::throttles or "
                            "throttled_by, or use fair_queuing");
}

caf::error pauses::set_limits(const throttles& within) {
  if (!end_.accepts())
    return errc::pool_closed;
  if (auto why = libpool::objection_to(within))
    return invalid_argument("set_limits: " + *why);
  if (auto why = objection_to_flows(dispatcher_, "set_limits"))
    return why;
  if (limits_rate(within) && dispatcher_.needs().is_eager)
    return invalid_argument("set_limits: most_begun requires lazy assignment");
  flight_.tell_ends();
  dispatcher_.limited(within, clock_.now());
  return {};
}

/// Either the shares or the time are of no use to the order, so they are
/// changed last, and weights before them only if there is no error in those.
caf::error pauses::set_policy_values(const policy_values& values) {
  auto lacks = [](const char* value, const char* policy) {
    return invalid_argument(std::string{"set_policy_values: "} + value
                            + ": the policy of the pool does not use it; "
                            + policy + " does");
  };
  if (!end_.accepts())
    return errc::pool_closed;
  if (auto why = objection_to_weights(values))
    return why;
  if (values.shares && values.age_step)
    return invalid_argument("set_policy_values: no policy has shares and "
                            "age_step: set one of them");
  flight_.tell_ends();
  if (values.shares && !dispatcher_.reshared(*values.shares))
    return lacks("shares", "fair_queuing in mode exact");
  if (values.age_step && !dispatcher_.ages(*values.age_step))
    return lacks("age_step", "priority with an age_step from the beginning");
  for (const auto& [worker, weight] : values.weights)
    dispatcher_.reweighed(*staff_.workers().find(actor_behind(worker)), weight);
  return {};
}

caf::error pauses::objection_to_weights(const policy_values& values) const {
  for (const auto& [worker, weight] : values.weights) {
    if (weight <= duration{0})
      return invalid_argument("set_policy_values: weights must be above 0 ns, "
                              "got "
                              + std::to_string(weight.count()) + " ns");
    auto* found =
      is_nobody(worker) ? nullptr : staff_.workers().find(actor_behind(worker));
    if (found == nullptr)
      return invalid_argument("set_policy_values: weights: the pool has no "
                              "such worker");
    if (found->weight == duration{0})
      return invalid_argument("set_policy_values: weights: the workers of the "
                              "pool have no weights; a policy with weight_of "
                              "gives them some");
  }
  return {};
}

/// Returns why the scope cannot be paused or resumed.
caf::error pauses::objection_to(const pause_scope& scope) const {
  if (!end_.accepts())
    return errc::pool_closed;
  auto parts = (scope.flow ? 1 : 0) + (scope.worker ? 1 : 0)
               + (scope.node.empty() ? 0 : 1);
  if (parts > 1)
    return invalid_argument("pause_scope: set one of flow, worker and node");
  if (scope.flow)
    if (auto why = objection_to_flows(dispatcher_, "pause_scope"))
      return why;
  auto needs_worker = scope.worker || !scope.node.empty();
  if (needs_worker && !staff_.knows(scope))
    return invalid_argument(
      scope.worker ? "pause_scope: the actor is not a worker of the pool"
                   : "pause_scope: the pool has no node '" + scope.node + "'");
  return {};
}

/// Takes back what workers have not begun: a command that has returned has
/// taken effect. The message that was sent last comes first.
void pauses::recall_paused() {
  const auto sent = dispatcher_.tasks().sent();
  for (auto i = sent.rbegin(); i != sent.rend(); ++i) {
    auto& task = static_cast<managed_task&>(**i);
    if (task.recalled)
      flight_.recall(task, worker_of(task));
  }
}

/// Wants messages of the scope back that nodes have not begun. The message that
/// was sent last comes first.
void pauses::take_back_from_nodes(const pause_scope& scope, host_ptr host) {
  messages_at_pools wanted;
  const auto sent = dispatcher_.tasks().sent();
  for (auto i = sent.rbegin(); i != sent.rend(); ++i) {
    auto& task = static_cast<managed_task&>(**i);
    const auto& worker = worker_of(task);
    auto is_in_scope = scope.flow ? task.flow.key().name() == *scope.flow
                                  : scope.is_pool() || is_meant(scope, worker);
    if (worker.node != nullptr && is_in_scope)
      wanted.add(task, worker);
  }
  wanted.tell([host](inner_pool& pool, const inner_messages& messages) {
    pool.take_back_messages(messages, host);
  });
}

/// The messages of nodes are looked at when messages that were not opened have
/// been recalled.
caf::error pauses::pause(const pause_scope& scope, host_ptr host) {
  if (auto why = objection_to(scope))
    return why;
  flight_.tell_ends();
  if (scope.flow)
    dispatcher_.suspended(*scope.flow, clock_.now());
  else if (scope.is_pool())
    dispatcher_.suspended(clock_.now());
  else
    staff_.pause(scope, true, host);
  recall_paused();
  if (staff_.entrance() != nullptr)
    pool_.tell(
      [this, scope](host_ptr here) { take_back_from_nodes(scope, here); },
      host);
  return {};
}

caf::error pauses::resume(const pause_scope& scope, host_ptr host) {
  if (auto why = objection_to(scope))
    return why;
  if (scope.flow)
    dispatcher_.reinstated(*scope.flow, clock_.now());
  else if (scope.is_pool())
    dispatcher_.reinstated(clock_.now());
  else
    staff_.pause(scope, false, host);
  answer([&](const auto& each) { return each.second == scope; },
         errc::cancelled, host);
  return {};
}

/// Whether no handler of the scope runs.
bool pauses::is_quiet(const pause_scope& scope) const {
  const auto& books = dispatcher_.books();
  if (scope.flow)
    return dispatcher_.gates().running(*scope.flow) == 0;
  if (scope.is_pool())
    return books.sent + books.running + dispatcher_.tasks().overdue() == 0;
  auto all = staff_.workers().all(); // a worker may have left the serving ones
  return std::all_of(all.begin(), all.end(), [&](auto* each) {
    return each->in_mailbox == 0 || !is_meant(scope, *each);
  });
}

/// Gives the answers for which `f` returns true.
template <class F>
void pauses::answer(F f, errc why, host_ptr host) {
  auto i = std::stable_partition(awaited_.begin(), awaited_.end(),
                                 [&](const auto& each) { return !f(each); });
  std::vector<std::pair<user_answer, pause_scope>> ended{
    std::make_move_iterator(i), std::make_move_iterator(awaited_.end())};
  awaited_.erase(i, awaited_.end());
  for (auto& each : ended)
    each.first(why, host);
}

void pauses::answer_quiet(host_ptr host) {
  answer([this](const auto& each) { return is_quiet(each.second); }, errc{},
         host);
}

void pauses::end_all(host_ptr host) {
  staff_.end_pauses(host);
  dispatcher_.all_reinstated(clock_.now());
  answer([](const auto&) { return true; }, errc::pool_closed, host);
}

} // namespace libpool
