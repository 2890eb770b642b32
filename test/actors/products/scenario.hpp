#pragma once

#include "libpool/pool.hpp"

#include "records.hpp"

#include <algorithm>
#include <functional>

namespace products {

class world;

enum class shape : std::uint8_t {
  plain,
  managed_in_managed,
  managed_in_direct,
  direct_in_managed,
  three_deep,
  circle,
  stage,                 // the pool is a stage of a pipeline
  pipelines_in_pool,     // the workers of the pool are pipelines
  pipelines_in_pools,    // pipelines in pools, one level deeper
  shared_pipeline,       // one pipeline is the worker of two pools
  split_join_in_managed, // of which some splits throw
  distributed,           // the workers of the pool are nodes
};

enum class worker_kind : std::uint8_t {
  event_based,
  function,
  stateful,
  typed,
  companion,
  deaf_companion, // has no handler before the end
  detached,
  blocking,
};

inline bool is_companion(worker_kind kind) {
  return kind == worker_kind::companion || kind == worker_kind::deaf_companion;
}

enum class gather : std::uint8_t {
  none,
  split_join,
  failing_split, // a split that throws, or returns no parts, for some messages
  broadcast_all,
  first_success,
  quorum,
  hedged,
};

/// Messages that are no work.
enum class strangeness : std::uint8_t {
  unknown,         // to workers
  unknown_atoms,   // unknown atoms, of the size of commands to pools
  forged_response, // a response that no client waits for
  down_message,    // as a request
  get,             // a command to pools
  delete_all,      // an item of a pipeline, a command to pools otherwise
};

/// The key of a message is its number modulo this one.
constexpr auto number_of_keys = 5;

/// The flow of a message is its number modulo this one.
constexpr auto number_of_flows = 3;

/// A deadline that no scenario reaches.
constexpr std::chrono::hours far_deadline{1};

/// One thing that happens at some moment while messages come.
using event = std::function<void(world&)>;

/// The settings of a feature in some of the pools.
struct option {
  std::function<void(libpool::managed_setup&)> set;
  /// Whether it chooses workers, which most gathers do themselves.
  bool chooses = false;
  /// Whether it goes with tasks that are bound eagerly only.
  bool binds = false;
  /// Whether it means nothing where the order goes by flows.
  bool is_of_windows = false;
  /// Whether pools with the option give leases in a flood of requests.
  bool keeps_leases = false;
  /// Whether it goes with tasks that are bound lazily only.
  bool binds_late = false;

  /// Whether it goes with the policy; `gather_chooses` workers.
  bool has_effect(const libpool::recipe& how, bool gather_chooses) const {
    return !(chooses && gather_chooses)
           && !(binds && assignment_of(how) != libpool::assignment::eager)
           && !(binds_late && assignment_of(how) != libpool::assignment::lazy)
           && !(is_of_windows && how.order.name() == "fair_queuing");
  }
};

/// The settings of a scenario, which features alter.
struct scenario {
  products::shape shape = shape::plain;
  worker_kind kind = worker_kind::event_based;
  products::gather gather = gather::none;
  libpool::recipe recipe = libpool::managed_policy_named("shared_queue");
  /// The options that the policy needs.
  option policy_needs;
  std::vector<option> options;
  std::vector<handling> handlers;
  std::vector<event> events;
  bool is_urgent = false;   // some messages are
  bool is_flood = false;    // of short tasks
  bool is_batched = false;  // messages go to workers in batches
  bool is_recorded = false; // what pools do, from the beginning
  bool asks_itself = false; // each pool, for a summary when it settles a task
  std::vector<strangeness> strange; // some messages
  bool is_durable = false;          // clients send by a durable queue
  bool is_restricted = false;
  bool has_deadline = false; // that tasks may miss
  bool has_capacity = false;
  bool retries = false;
  unsigned more_retries = 0;         // of each pool, than the first one
  bool has_budget = false;           // of retries, in some pools
  bool intercepts_replies = false;   // so that answers come by the pool
  bool is_busy_until_answer = false; // each worker, of some pools
  bool joins = false;                // messages of a key share runs
  bool asks_through_gate = false;    // handlers that ask their own pool
  bool loses_factory = false;
  bool ends_with_system = false;
  bool drops_front = false;       // the last handle
  bool ends_nodes = false;        // an event does
  bool holds_flows = false;       // back
  bool takes_workers = false;     // an event ends workers, or takes them out
  bool ends_workers = false;      // an event ends workers, or their pools
  bool scales_workers = false;    // pools choose their numbers
  bool restarts_workers = false;  // that crash, as often as they do
  bool shrinks_otherwise = false; // an event takes workers that are not counted

  bool handle_by(handling how) const {
    return std::find(handlers.begin(), handlers.end(), how) != handlers.end();
  }

  bool sends(strangeness kind_of_message) const {
    return std::find(strange.begin(), strange.end(), kind_of_message)
           != strange.end();
  }

  /// Whether a management message takes all workers out of a pool.
  bool deletes_by_message() const {
    return (shape != products::shape::stage || is_durable)
           && sends(strangeness::delete_all);
  }

  /// Whether there is a reason for pools to have fewer workers in the end.
  bool loses_workers() const {
    return !events.empty() || handlers_end_workers() || scales_workers
           || kind == worker_kind::deaf_companion || deletes_by_message();
  }

  bool handlers_end_workers() const {
    return handle_by(handling::throws) || handle_by(handling::quits)
           || handle_by(handling::quits_failing);
  }

  /// Whether all workers stay until their pools end.
  bool keeps_workers() const {
    auto has_other_pools = shape == products::shape::circle
                           || shape == products::shape::shared_pipeline;
    return !takes_workers && !handlers_end_workers()
           && kind != worker_kind::deaf_companion
           && !sends(strangeness::delete_all)
           && (events.empty() || !has_other_pools);
  }

  /// Whether a worker may crash, or end while it owes an answer.
  bool may_crash() const {
    return ends_workers || handlers_end_workers();
  }

  /// Whether the number of workers in the end is known.
  bool has_known_size() const {
    return shape == products::shape::plain && !is_durable && !ends_with_system
           && !shrinks_otherwise && !deletes_by_message() && !loses_factory
           && !handle_by(handling::quits) && !skip()
           && kind != worker_kind::deaf_companion && !has_threads()
           && (restarts_workers || !may_crash());
  }

  bool skip() const {
    return handle_by(handling::skips) || handle_by(handling::never_looks);
  }

  /// Whether messages may be open until the pool ends: workers do not look, or
  /// are about to be replaced all the time.
  bool may_wait_for_ever() const {
    return handle_by(handling::never_looks) || loses_factory;
  }

  /// Whether nothing but a flood of short tasks comes to one queue, which is
  /// what a pool that steals has where messages have no homes, or one for each
  /// flow.
  bool is_plain_flood() const {
    return is_flood
           && std::all_of(options.begin(), options.end(),
                          [](const option& each) { return each.keeps_leases; })
           && shape == products::shape::plain
           && kind == worker_kind::event_based
           && gather == products::gather::none
           && (recipe.name == "shared_queue" || recipe.name == "work_stealing"
               || recipe.name == "fair_queuing")
           && handlers.empty() && events.empty() && strange.empty()
           && !is_urgent && !is_durable && !ends_with_system;
  }

  /// Whether half of the messages ask their own pool, which nothing prevents.
  bool is_plain_asking() const {
    return handlers == std::vector{handling::asks_own_pool}
           && shape == products::shape::plain && events.empty()
           && strange.empty() && gather == products::gather::none && !is_durable
           && !ends_with_system;
  }

  /// Whether the gather, and not a placement, chooses the workers.
  bool gather_chooses() const {
    return gather != products::gather::none
           && gather != products::gather::split_join
           && gather != products::gather::failing_split;
  }

  /// Whether options choose the workers of some messages.
  bool chooses_workers() const {
    return std::any_of(options.begin(), options.end(),
                       [](const option& each) { return each.chooses; });
  }

  /// Whether workers of direct pools may end that have skipped messages of an
  /// outer pool.
  bool leaves_skipped_to_dead() const {
    return skip() && may_crash()
           && (shape == products::shape::direct_in_managed
               || shape == products::shape::split_join_in_managed);
  }

  /// Whether handlers wait for requests to their own pools.
  bool asks_own_pool() const {
    return handle_by(handling::asks_own_pool);
  }

  /// Whether pools would not notice that workers wait for them.
  bool asks_unnoticed() const {
    auto passes_other_pools = shape == products::shape::direct_in_managed
                              || shape
                                   == products::shape::split_join_in_managed;
    return asks_own_pool()
           && (passes_other_pools || gather != products::gather::none);
  }

  /// Whether workers wait for their own pools, without the pools' notice. A
  /// pool that hedges, or whose worker splits messages, waits for answers.
  bool waits_unnoticed() const {
    return asks_unnoticed()
           && (is_busy_until_answer || kind == worker_kind::blocking
               || gather == products::gather::hedged
               || shape == products::shape::split_join_in_managed);
  }

  /// Whether workers that block would wait for ever for their own pools: a pool
  /// does not know that a worker owes an answer after its handler has returned,
  /// which a worker that blocks cannot give.
  bool asks_in_vain_if_blocking() const {
    return asks_unnoticed()
           || (asks_own_pool()
               && (handle_by(handling::promises)
                   || handle_by(handling::drops)));
  }

  /// Whether there are pipelines.
  bool has_lines() const {
    return shape == products::shape::stage
           || shape == products::shape::pipelines_in_pool
           || shape == products::shape::pipelines_in_pools
           || shape == products::shape::shared_pipeline;
  }

  bool has_threads() const {
    return kind == worker_kind::detached || kind == worker_kind::blocking;
  }
};

/// A setting of scenarios. Features of one slot exclude each other; features
/// without a slot go with all.
struct feature {
  std::string name;
  std::string slot;
  std::function<void(scenario&)> alter;
};

const std::vector<feature>& features();

/// Errors: std::invalid_argument.
const feature& feature_named(std::string_view name);

using combination = std::vector<const feature*>;

/// Why these do not go together; empty if they do.
std::string against(const combination& all);

std::string names_of(const combination& all);

/// The seed fills in what the features leave open.
scenario composed(const combination& all, std::uint64_t seed);

/// Returns the violations of laws, one text each; empty if all laws hold.
std::vector<std::string> violations_of(const combination& all,
                                       std::uint64_t seed);

} // namespace products
