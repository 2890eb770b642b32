#include "scenario.hpp"
#include "support/port/skipping.hpp"

#include <array>

namespace products {

namespace {

bool says(const combination& all, const std::string& slot) {
  return std::any_of(all.begin(), all.end(),
                     [&](const auto* each) { return each->slot == slot; });
}

scenario altered_by(const combination& all) {
  scenario result;
  for (const auto* each : all)
    each->alter(result);
  return result;
}

} // namespace

/// Most seeds fill in the settings that no feature determines.
scenario composed(const combination& all, std::uint64_t seed) {
  auto s = altered_by(all);
  constexpr std::array policies{"shared_queue", "work_stealing",
                                "managed_round_robin", "priority"};
  if (!says(all, "policy"))
    s.recipe =
      libpool::managed_policy_named(policies.at((seed - 1) % policies.size()));
  auto set_window = [](libpool::managed_setup& o) {
    o.window = o.window.value_or(3);
  };
  if (seed % 3 == 2)
    s.options.push_back({set_window, false, false, true});
  if (seed % 6 == 5 && !says(all, "shape"))
    s.shape = shape::managed_in_managed;
  if (seed % 6 == 0 && !says(all, "worker") && !s.ends_with_system
      && !s.leaves_skipped_to_dead() && !s.asks_in_vain_if_blocking())
    s.kind = worker_kind::blocking;
  if (seed % 2 == 0 && s.asks_own_pool() && !s.asks_unnoticed()) {
    s.options.push_back({[](libpool::managed_setup& o) {
      o.busy_until = libpool::busy_until::answer;
    }});
    s.intercepts_replies = s.is_busy_until_answer = true;
  }
  s.asks_through_gate = seed % 5 < 2 && s.asks_own_pool();
  return s;
}

std::string against(const combination& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (all[i] == all[j]
          || (!all[i]->slot.empty() && all[i]->slot == all[j]->slot))
        return "both are the " + all[i]->slot;
  auto s = altered_by(all);
  auto is_moot = [&](const option& each) {
    return !each.has_effect(s.recipe, s.gather_chooses());
  };
  if (is_moot(s.policy_needs)
      || std::any_of(s.options.begin(), s.options.end(), is_moot))
    return "an option means nothing to the policy";
  if (s.shape == shape::circle && (s.ends_with_system || s.drops_front))
    return "pools that refer to each other are the user's to tell apart";
  if (s.is_batched && s.shape == shape::distributed)
    return "distributed pools have no batches";
  if (s.is_batched
      && (s.skip() || s.asks_own_pool() || s.handle_by(handling::awaits)
          || s.handle_by(handling::delegates)))
    return "workers handle batches in simple ways";
  if (s.is_durable && s.ends_with_system)
    return "the intake of a durable queue keeps its pool until the pool ends";
  if (s.ends_nodes && s.shape != shape::distributed)
    return "there are no nodes";
  if (s.shape == shape::distributed && s.ends_with_system)
    return "a system awaits the agents of its nodes";
  if (s.shape == shape::distributed && s.asks_own_pool())
    return "a worker of a node does not know the pool of the node";
  if (s.shape == shape::distributed && s.drops_front && s.may_wait_for_ever())
    return "a pool whose messages wait is there for nodes until its system "
           "ends, though nothing refers to it";
  if (s.loses_factory && s.drops_front)
    return "a pool whose messages wait tries to get workers until its system "
           "ends, though nothing refers to it";
  if (s.ends_with_system
      && (s.handle_by(handling::promises) || s.asks_own_pool()))
    return "a worker that keeps a promise to itself refers to itself";
  if (s.ends_with_system && s.has_threads())
    return "threads of workers end before a system does";
  if (s.asks_own_pool() && s.has_lines() && s.shape != shape::stage)
    return "a worker of a pipeline does not know the pool of its stage";
  if (s.asks_own_pool() && s.shape == shape::circle)
    return "messages that come to both of two pools that contain each other "
           "wait for each other";
  if (s.shape == shape::circle && s.joins)
    return "runs that messages share in two pools that contain each other wait "
           "for each other";
  if (s.waits_unnoticed()
      || (s.asks_in_vain_if_blocking() && s.kind == worker_kind::blocking))
    return "a pool does not notice that all workers wait for it";
  auto awaits_or_skips = s.handle_by(handling::awaits) || s.skip();
  if (is_companion(s.kind) && (awaits_or_skips || s.asks_own_pool()))
    return "companions send no requests and keep nothing for later";
  if ((is_companion(s.kind) || s.has_threads())
      && s.handle_by(handling::gets_stuck))
    return "others run while a handler is stuck in the thread of the test only";
  if (s.kind == worker_kind::blocking && s.leaves_skipped_to_dead())
    return "a blocking worker of an inner direct pool keeps what it has "
           "skipped "
           "until it is destroyed";
  if (s.is_urgent && awaits_or_skips && s.shape == shape::split_join_in_managed)
    return "CAF 0.17 keeps an urgent message that an actor has skipped until "
           "the actor gets another one";
  if (s.kind == worker_kind::typed && !test::typed_workers_skip && s.skip())
    return "typed workers skip nothing with this version of CAF";
  return "";
}

std::string names_of(const combination& all) {
  std::string result;
  for (const auto* each : all)
    result += (result.empty() ? "" : ",") + each->name;
  return result;
}

} // namespace products
