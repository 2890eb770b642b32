#pragma once

#include "libpool/actors/caf/port/home.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/policy_options.hpp"
#include "libpool/actors/policy_values.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_ref.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/actors/split_join.hpp"
#include "libpool/actors/submissions.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/recording.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/gather/broadcast_all.hpp"
#include "libpool/policies/gather/gather_parts.hpp"
#include "libpool/policies/placement/placement_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace libpool {

namespace detail {

/// Whether `managed` rejects an argument of type `F`. `F` converts neither to a
/// recipe, which names the parts of a policy, nor to a function that returns
/// these parts.
template <class F>
constexpr bool is_no_recipe =
  !std::is_convertible_v<
    F, recipe> && !std::is_convertible_v<F, std::function<composition()>>;

} // namespace detail

/// Functions that return policies, and functions that make, query and control
/// pools. A pool is an actor in front of several workers; the policy of the
/// pool decides which worker gets each message. This class replaces
/// `caf::actor_pool` of CAF 0.17.6 at the source level. What is stated below
/// holds even when workers fail.
///
/// The policy determines whether a pool is direct or managed. A direct pool
/// passes each message on when the message arrives, and keeps no record of the
/// message. Function objects of the user, and the policies that
/// `caf::actor_pool` also has, make direct pools. All other policies make
/// managed pools. A managed pool keeps each message until a worker has room for
/// the message, and settles each accepted message exactly once, even if workers
/// crash: the message is completed, failed or cancelled. See `managed_options`.
///
/// A pool owns its workers and is notified when a worker ends. An exit message
/// to the pool is forwarded to all workers and ends the pool. The end of the
/// last worker ends the pool as well (`caf::exit_reason::out_of_workers`). When
/// the last reference to the pool is gone, the pool ends with
/// `caf::exit_reason::unreachable`, and the workers finish the messages that
/// they have begun. Then CAF destroys workers without references; blocking
/// workers, which CAF would not destroy, get an exit message.
///
/// Workers are added and removed by messages, as with CAF. If such a message is
/// a request, the pool answers:
///
/// | message                   | effect                  | answer            |
/// | ------------------------- | ----------------------- | ----------------- |
/// | ('SYS', 'PUT', worker)    | adds the worker         | nothing, or error |
/// | ('SYS', 'DELETE', worker) | removes the worker      | nothing           |
/// | ('SYS', 'DELETE')         | removes all workers     | nothing           |
/// | ('SYS', 'GET')            |                         | vector<actor>     |
///
/// Removed workers are not stopped. Managed pools also handle the messages that
/// `resize`, `drain`, `when_idle`, `cancel`, `pause` and `resume` describe, and
/// ('SYS', 'STATS'), see `stats`. All other messages go to the policy. A pool
/// has no mailbox and no thread, and is not run by the scheduler. A direct pool
/// runs in the threads of its senders; a managed pool also runs in the threads
/// of its workers.
///
/// Order:   messages from one sender to one worker arrive in order, unless the
///          policy says otherwise.
/// Cost:    direct: about 10 ns and one atomic exchange for each message, plus
///          the cost of the policy; a change of the workers copies the list of
///          workers. Managed: about the cost of two more plain sends for each
///          message.
/// Threads: any number of senders; no sender waits for another sender.
/// Errors:  a request is answered with `errc::no_workers`,
///          `errc::policy_failed`, `errc::cycle` if pools contain each other,
///          or `caf::sec::request_receiver_down` after the end of the pool.
///          Other messages are passed to `on_refused`. PUT: `errc::worker_down`
///          for a dead actor, `errc::cycle` for the pool itself, and
///          `caf::sec::invalid_argument` if a managed pool would have more than
///          `most_workers`.
///          make: std::invalid_argument for an empty policy or factory, for an
///          execution unit that is null, or for a factory that returns no actor
///          or the same actor twice; exceptions from the factory, after the
///          workers made so far were stopped.
class LIBPOOL_EXPORT actor_pool final {
public:
  /// Lock guard that a pool passes to a policy that is a function object. The
  /// guard holds a shared lock on the state of the policy, and can be upgraded
  /// to an exclusive lock.
  using uplock = libpool::uplock;
  /// List of the workers of a pool, in the order in which they joined. A pool
  /// passes the list to a policy that is a function object.
  using actor_vec = libpool::actor_vec;
  /// Function that makes a new worker at each call.
  using factory = std::function<caf::actor()>;
  /// Rule that decides which worker gets each message.
  using policy = libpool::policy;

  // -- policies of direct pools -----------------------------------------------

  /// Returns a policy that sends messages to the workers in turn, in the order
  /// in which the workers joined.
  ///
  /// Cost: one counter that all senders share.
  static policy round_robin();

  /// Returns a policy that sends each message to every worker. The client gets
  /// only the first answer or error.
  ///
  /// Cost: one mailbox element for each worker; the content is shared.
  static policy broadcast();

  /// Returns a policy that sends each message to a worker drawn uniformly at
  /// random. The operating system provides the seed when the policy is made.
  ///
  /// Cost: senders share no memory.
  static policy random();

  /// Returns a policy that sends each message to a worker drawn uniformly at
  /// random. `seed` is the seed of the draws. If one thread sends all messages,
  /// equal seeds give equal draws.
  static policy random(std::uint64_t seed);

  /// Returns a policy that splits each message into one task for each worker,
  /// and joins the results of the workers into one answer.
  ///
  /// `join` has the signature `void (T&, const R&)`, and adds one result to the
  /// answer, which begins as a copy of `init`. `join` is called once for each
  /// result that is not empty: in the order of arrival, or in the order of the
  /// tasks if `options.ordered` is true. `split` has the signature `void
  /// (worker_tasks&, const M&)`, and sets the task of each worker in a list. A
  /// worker whose task stays empty gets no message. Without `split`, each
  /// worker gets the whole message.
  ///
  /// A message must have one element, of type M, and a result must have one
  /// element, of type R. A `split` that takes `caf::message&` instead of `const
  /// M&` accepts messages with any elements. A `join` that takes
  /// `caf::message&` instead of `const R&` accepts results with any elements.
  ///
  /// Both functions are copied for each message. `split` runs in the sender's
  /// thread. `join` runs in the threads of the workers, never concurrently for
  /// one message.
  ///
  /// Errors: the message fails with an error that names the worker as soon as a
  ///         worker answers with an error or ends (`errc::worker_failed`,
  ///         `errc::worker_crashed`), or takes longer than `options.timeout`
  ///         (`errc::timeout`). If `options.join_what_came` is true, such
  ///         workers are left out of the answer instead. `errc::policy_failed`
  ///         if `split` or `join` throws, if the message is not an M, or if a
  ///         result is not an R.
  template <class T, class Join, class Split = detail::split_to_all>
  static policy split_join(Join join, Split split = Split(), T init = T(),
                           gather_options options = {}) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(
      !makes_parts,
      "libpool: this split function returns the parts, which only "
      "managed_split_join takes; for split_join, a split function writes the "
      "parts into its argument");
    if constexpr (makes_parts || !detail::check_split<Split>())
      return {};
    else
      return policy{make_split_join(
        detail::untyped_tasks(std::move(split)),
        detail::make_joiner<T>(std::move(join), std::move(init)), options)};
  }

  // -- policies of managed pools ----------------------------------------------

  /// Returns a policy that keeps all messages in one queue. The idle worker
  /// that was chosen least recently gets the next message, so no message waits
  /// while a worker is idle.
  ///
  /// Cost:   about the cost of one more plain send for each message.
  /// Errors: std::invalid_argument names an option that is out of bounds.
  static policy shared_queue(managed_options options = {});

  /// Returns a policy that keeps all messages in one queue. The message with
  /// the highest priority goes first, and the message that arrived first among
  /// equals. The function `how.priority_of` returns the priority of a message.
  static policy priority(rank_options manner = {},
                         managed_options options = {});

  /// Returns a policy that keeps all messages in one queue. The message with
  /// the earliest deadline goes first, and the message that arrived first among
  /// equals. Messages without a deadline go last. The options `deadline_of` and
  /// `deadline` set the deadline of a message.
  static policy earliest_deadline(managed_options options = {});

  /// Returns a policy that keeps all messages in one queue, and divides the
  /// time of the workers among flows. A flow is the messages of one client or
  /// tenant; `how.flow_of` returns the flow of a message. While another flow
  /// waits, a flow that sends more messages than its share does not get more
  /// time.
  static policy fair_queuing(flow_options manner = {},
                             managed_options options = {});

  // The following policies give each worker its own queue; see the placements
  // with the same names. A message is assigned to a worker when the message
  // arrives, and the choice can take differences between workers into account.
  // With the shared queue, workers are idle for less time.

  /// Returns a policy that assigns each message to its home when the message
  /// arrives. The home is the worker that has the data of the message, as
  /// returned by `how.home_of`. A message without a home goes to the worker
  /// with the fewest messages in flight. An idle worker takes over a message
  /// that another worker has not begun, if the cost of moving the message
  /// (`how.move_cost`) is less than the time that the message would wait.
  ///
  /// If no function of `manner` or `options` states where messages run or what
  /// they cost, the policy works like `shared_queue`, and no message is taken
  /// over.
  static policy work_stealing(home_options manner = {},
                              managed_options options = {});

  /// Returns a policy that assigns messages to the workers in turn. Unlike with
  /// `round_robin`, a message waits in the pool until its worker has room.
  static policy managed_round_robin(managed_options options = {}) {
    return placed_by("round_robin", std::move(options));
  }

  /// Returns a policy that assigns each message to a worker drawn uniformly at
  /// random. `seed` is the seed of the draws. Unlike with `random`, a message
  /// waits in the pool until its worker has room.
  static policy managed_random(std::uint64_t seed = 1,
                               managed_options options = {}) {
    return placed_by({"random", draw_options{seed}}, std::move(options));
  }

  /// Returns a policy that assigns each message to the worker with the fewest
  /// messages in flight.
  static policy least_used(managed_options options = {}) {
    return placed_by("least_used", std::move(options));
  }

  /// Returns a policy that assigns each message to the worker that has worked
  /// for the least time so far. The times that ended messages have taken count,
  /// and estimates for messages in flight. `manner` has the options of the
  /// estimates.
  static policy least_busy(estimate_options manner = {},
                           managed_options options = {}) {
    return placed_by({"least_busy", manner}, std::move(options));
  }

  /// Returns a policy that draws two workers at random for each message, and
  /// assigns the message to the worker with fewer messages in flight. `seed` is
  /// the seed of the draws.
  static policy power_of_two_choices(std::uint64_t seed = 1,
                                     managed_options options = {}) {
    return placed_by({"power_of_two_choices", draw_options{seed}},
                     std::move(options));
  }

  /// Returns a policy that assigns each message to the worker whose messages in
  /// flight are estimated to take the least time in total. The estimate for a
  /// message is the average service time of its kind; `how.kind_of` returns the
  /// kind.
  static policy join_shortest_estimated_queue(kind_options manner = {},
                                              managed_options options = {});

  /// Returns a policy that assigns each message to the worker that is expected
  /// to finish the message first. Each worker has its own estimate, from the
  /// times of its recent messages. `manner` has the options of the estimates.
  static policy fair_share(estimate_options manner = {},
                           managed_options options = {}) {
    return placed_by({"fair_share", manner}, std::move(options));
  }

  /// Returns a policy that assigns messages to the workers in turn. The turn of
  /// a worker lasts until its messages have taken as much service time as its
  /// weight, which `how.weight_of` returns.
  static policy weighted_round_robin(weight_options manner = {},
                                     managed_options options = {}) {
    return by_weight("weighted_round_robin", std::move(manner),
                     std::move(options));
  }

  /// Returns a policy that divides service time among the workers in proportion
  /// to their weights, which `how.weight_of` returns. Unlike with
  /// `weighted_round_robin`, a worker with a large weight gets its time in
  /// several small portions.
  static policy interleaved_weighted_round_robin(weight_options manner = {},
                                                 managed_options options = {}) {
    return by_weight("interleaved_weighted_round_robin", std::move(manner),
                     std::move(options));
  }

  /// Returns a policy that draws two workers at random for each message, and
  /// assigns the message to the worker with the smaller load. The load of a
  /// worker is its recent latency, multiplied by the number of its messages in
  /// flight plus one.
  static policy peak_ewma(peak_ewma_options manner = {},
                          managed_options options = {}) {
    return placed_by({"peak_ewma", manner}, std::move(options));
  }

  /// Returns a policy that assigns messages with equal keys to the same worker,
  /// which handles these messages one after the other. The function
  /// `how.key_of` returns the key of a message.
  static policy consistent_hash(key_options manner,
                                managed_options options = {});

  /// Returns a policy that is composed of parts. `recipe` names the parts, such
  /// as the rule that chooses the next message and the rule that chooses its
  /// worker; the catalogue in policies/catalogue.hpp lists all parts. `asked`
  /// has the functions of the user that the parts call.
  ///
  /// Errors: std::invalid_argument names an option that is unknown, out of
  ///         bounds or in conflict with another one, or a function that no part
  ///         uses.
  static policy managed(recipe recipe, managed_options options = {},
                        message_functions asked = {});

  /// Returns a policy that is composed of parts of the user. The function
  /// `parts` returns new parts, and is called once for each pool. Some
  /// parts need values of each message, such as its key, which functions of the
  /// user compute: the pool calls the functions in `asked`.
  static policy managed(std::function<composition()> parts,
                        managed_options options = {},
                        message_functions asked = {});

  /// Overload for arguments of all other types. Does not compile: a static
  /// assertion states which arguments `managed` accepts.
  template <class F, class = std::enable_if_t<detail::is_no_recipe<F>>>
  static policy managed(F, const managed_options& = {},
                        const message_functions& = {}) {
    static_assert(!detail::is_no_recipe<F>,
                  "libpool: managed requires a libpool::recipe, or a function "
                  "without parameters that returns a libpool::composition");
    return {};
  }

  // With the following policies, several workers of a managed pool with the
  // policy `over` handle each message. The client gets one answer. After the
  // answer, no further task of the message begins, except with `quorum`. After
  // the end of the client, no further task begins.
  //
  // Load:   each worker that is asked has its own task, which counts like any
  //         other task. If a policy asks only some workers, and one of these
  //         ends or is removed before its task has begun, a worker that was not
  //         asked gets the task, unless all workers were asked or the pool
  //         drains.
  // Cost:   O(workers) for each message, to choose the workers.
  // Errors: std::invalid_argument for a policy that is not managed, that
  //         gathers already, or that sets `may_run_on`, `home_of` or `key_of`
  //         although the gather chooses the workers.

  /// Returns a policy that makes several tasks of each message, and joins their
  /// results into one answer. `split` has the signature `std::vector<Part>
  /// (const M&)`, and returns at least one part; a part may be a
  /// `caf::message`. Each part is a task for a worker that has room. `join`,
  /// with the signature `void (T&, const R&)`, adds one result to the answer,
  /// which begins as a copy of `init`. Calls of `split` do not overlap. If a
  /// part fails, parts that have not begun are cancelled. In all other
  /// respects, the pool works by the policy `over`.
  ///
  /// A message is accepted with all of its parts or not at all. Tasks are made
  /// of 128 parts at a time; other messages are accepted in between.
  ///
  /// Errors: those of `split_join`, and `errc::policy_failed` if `split`
  ///         returns no part. `errc::too_many_parts` if a message has more
  ///         parts than the `capacity` of the pool and the places at all
  ///         serving workers together. `errc::queue_full` if a message with
  ///         fewer parts does not fit beside the tasks that the pool has.
  template <class T, class Join, class Split>
  static policy managed_split_join(Join join, Split split, T init = T(),
                                   gather_options options = {},
                                   const policy& over = shared_queue()) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(makes_parts,
                  "libpool: managed_split_join requires a split that returns "
                  "the parts: std::vector<Part> (const M&)");
    if constexpr (!makes_parts || !detail::check_split<Split>())
      return {};
    else {
      gathering gathering;
      gathering.plan = std::make_unique<gather_parts>(options);
      gathering.join = detail::make_joiner<T>(std::move(join), std::move(init));
      gathering.ordered = options.ordered;
      gathering.split = detail::untyped_parts(std::move(split));
      return make_gathered("managed_split_join", std::move(gathering), over);
    }
  }

  /// Returns a policy that sends each message to every worker, and joins the
  /// results into one answer. `join`, with the signature `void (T&, const R&)`,
  /// adds one result to the answer, which begins as a copy of `init`. In all
  /// other respects, the pool works by the policy `over`.
  template <class T, class Join>
  static policy broadcast_all(Join join, T init = T(),
                              gather_options options = {},
                              const policy& over = shared_queue()) {
    gathering gathering;
    gathering.plan = std::make_unique<libpool::broadcast_all>(options);
    gathering.join = detail::make_joiner<T>(std::move(join), std::move(init));
    gathering.ordered = options.ordered;
    return make_gathered("broadcast_all", std::move(gathering), over);
  }

  /// Returns a policy that sends each message to `n` workers, or to all workers
  /// if there are fewer. The answer is the first success. If all these workers
  /// fail, the answer is the error `errc::too_few_answers`, which contains
  /// their errors; `errors_in` returns them. If only one worker was asked, its
  /// error is the answer. In all other respects, the pool works by the policy
  /// `over`.
  static policy first_success(std::size_t n,
                              const policy& over = shared_queue());

  /// Returns a policy that sends each message to one worker, and also to a
  /// second worker if the first worker has not answered within `after`. The
  /// answer is the first success. If the first worker answers in time with an
  /// error, no second worker is asked. A second worker is asked for at most
  /// `budget` percent of all messages. If `after` is a percentile of the times
  /// until first workers answer, no second worker is asked before 100 first
  /// workers have answered. A worker is busy until it has answered, even if
  /// `over` has the option `busy_until::handler`. In all other respects, the
  /// pool works by the policy `over`.
  ///
  /// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
  static policy hedged(hedge_delay after, double budget = 5,
                       const policy& over = shared_queue());

  /// Returns a policy for workers that are replicas. Each message goes to `n`
  /// workers, or to all workers if there are fewer. All these workers handle
  /// the message, even after the answer. When `k` workers have succeeded, the
  /// first result is the answer. A pool with fewer than `k` workers refuses the
  /// message with `errc::too_few_workers`.
  ///
  /// If `k` successes are not possible any more, the answer is the error
  /// `errc::too_few_answers`, which contains the errors of the workers. If all
  /// workers that were asked must succeed, the answer is the first error
  /// itself. In all other respects, the pool works by the policy `over`.
  static policy quorum(std::size_t n, std::size_t k,
                       const policy& over = shared_queue());

  /// Returns a policy that sends each message to `n` workers, waits until `k`
  /// workers have succeeded, and joins the results into one answer. `join`,
  /// with the signature `void (T&, const R&)`, adds one result to the answer,
  /// which begins as a copy of `init`. In all other respects, the pool works by
  /// the policy `over`.
  template <class T, class Join>
  static policy quorum(std::size_t n, std::size_t k, Join join, T init = T(),
                       gather_options options = {},
                       const policy& over = shared_queue()) {
    return make_quorum(n, k,
                       detail::make_joiner<T>(std::move(join), std::move(init)),
                       options, over);
  }

  /// Returns a policy with a custom gather plan: `plan` decides how many
  /// workers handle each message, and when the message is answered. `join`
  /// makes the answer of the results. In all other respects, the pool works by
  /// the policy `over`.
  ///
  /// Errors: std::invalid_argument if the plan makes one task of each part of a
  ///         message; such a plan needs a split function, see `gathered_parts`.
  static policy gathered(std::unique_ptr<gather_plan> plan,
                         std::unique_ptr<joiner> join,
                         const policy& over = shared_queue());

  /// Returns a policy with a custom gather plan: `plan` decides how many
  /// workers handle each message, and when the message is answered. `join`,
  /// with the signature `void (T&, const R&)`, adds one result to the answer,
  /// which begins as a copy of `init`. In all other respects, the pool works by
  /// the policy `over`.
  template <class T, class Join>
  static policy gathered(std::unique_ptr<gather_plan> plan, Join join,
                         T init = T(), const policy& over = shared_queue()) {
    return gathered(std::move(plan),
                    detail::make_joiner<T>(std::move(join), std::move(init)),
                    over);
  }

  /// Returns a policy with a custom gather plan that makes one task of each
  /// part of a message. `split`, with the signature `std::vector<Part> (const
  /// M&)`, returns the parts. `join`, with the signature `void (T&, const R&)`,
  /// adds one result to the answer, which begins as a copy of `init`. In all
  /// other respects, the pool works by the policy `over`.
  template <class T, class Join, class Split>
  static policy gathered_parts(std::unique_ptr<gather_plan> plan, Join join,
                               Split split, T init = T(),
                               const policy& over = shared_queue()) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(makes_parts,
                  "libpool: gathered_parts requires a split that returns the "
                  "parts: std::vector<Part> (const M&)");
    if constexpr (!makes_parts || !detail::check_split<Split>())
      return {};
    else {
      gathering gathering;
      gathering.plan = std::move(plan);
      gathering.join = detail::make_joiner<T>(std::move(join), std::move(init));
      gathering.split = detail::untyped_parts(std::move(split));
      return make_gathered("gathered_parts", std::move(gathering), over);
    }
  }

  // -- workers on other nodes -------------------------------------------------

  /// Returns the policy `over` for a pool whose workers are nodes: programs
  /// that join the pool by `join_pool`. The content of a message is serialized
  /// when the message is accepted, and sent as bytes. If the pool loses a node,
  /// the tasks of the node fail with `errc::node_lost`. If the option
  /// `on_crash` of `over` is `retry`, these tasks run again instead, as soon as
  /// it is certain that the lost node begins no more tasks. A pool without
  /// nodes waits for nodes: the setting `when_empty::end` of `over` counts as
  /// `when_empty::wait`.
  ///
  /// Errors: a message whose content cannot be written is refused with
  ///         `errc::not_serializable`. A message that no node can read, or
  ///         whose answer the pool cannot read, fails with `errc::unreadable`.
  ///         std::invalid_argument for a policy that is not managed, or for
  ///         options out of bounds.
  static policy distributed(node_options options = {},
                            const policy& over = shared_queue());

  // -- making pools -----------------------------------------------------------

  /// Makes a pool without workers in the actor system `where`. A message
  /// ('SYS', 'PUT', worker) to the pool adds a worker.
  static caf::actor make(home where, policy policy, pool_options options = {});

  /// Makes a pool of `n` workers in the actor system `where`, with the policy
  /// `policy`. `fac` is called once for each worker, and returns a new actor at
  /// each call.
  static caf::actor make(home where, std::size_t n, const factory& fac,
                         policy policy, pool_options options = {});

  /// Makes a pool of `n` workers in the actor system `where`, with the policy
  /// `policy`. `fac` is called once for each worker. Each call returns a new
  /// actor as a handle of any type, for example the handle of a typed actor.
  template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
  static caf::actor make(home where, std::size_t n, F fac, policy policy,
                         pool_options options = {}) {
    return make(where, n, detail::factory_of(std::move(fac)), std::move(policy),
                std::move(options));
  }

  // -- querying and controlling pools -----------------------------------------

  // A `pool_ref` is any handle of a pool, also a typed one.

  /// Returns the state and the counters of the pool behind `handle`. Throws
  /// std::invalid_argument if `handle` is not a pool of this process.
  static pool_stats stats(const pool_ref& handle);

  /// Returns the state and the counters of the pool behind `handle`, without
  /// the stats of each worker (`pool_stats::members`). Cheap enough to call
  /// often. A task that has begun may be counted as not begun yet
  /// (`ledger::sent`), unless the task is one of the 64 unfinished tasks that
  /// were sent first.
  ///
  /// If a pool has more than 1024 flows, `pool_stats::flows` has those with the
  /// longest queues. Flows whose queues differ by less than a factor of two may
  /// be missing if there are more than 1024 of them.
  ///
  /// Cost: independent of the number of workers and, except for a visit of each
  ///       flow, of the number of flows.
  static pool_stats summary(const pool_ref& handle);

  /// Makes the managed pool behind `handle` record when its handlers run. Each
  /// call begins a new recording and drops the former one. `within` limits the
  /// age and the number of the recorded runs. If the maximum age `within.last`
  /// is zero, the default, nothing is recorded. Recording requires the option
  /// `measure_times`. Throws std::invalid_argument if `handle` is not a managed
  /// pool.
  ///
  /// Cost: about 50 ns for each task; 96 bytes and the trace for each run that
  ///       is kept.
  static void record(const pool_ref& handle, const recorder_limits& within);

  /// Returns the recording of the managed pool behind `handle`: the handler
  /// runs that ended at `since` or later, the runs that have not ended, and the
  /// waiting tasks. `timeline_of` makes a timeline of a recording, which can be
  /// drawn as a picture or written as a trace.
  ///
  /// Cost: O(kept runs + unfinished tasks + workers) in the thread that handles
  ///       the pool's messages: several milliseconds if all three numbers are
  ///       large.
  static recording recorded(const pool_ref& handle, instant since = {});

  /// Sets the number of workers of the managed pool behind `handle` to `n`. The
  /// pool's factory makes new workers. If the pool becomes smaller, workers
  /// whose handlers overrun leave first, then workers whose handlers have
  /// overrun before, then others, of each kind the newest first; each worker
  /// ends the tasks that it has begun. Stand-ins are made besides, see
  /// `managed_options::stand_ins`. The message ('SYS', 'RESIZE', n) has the
  /// same effect; a request is answered when all removed workers have left,
  /// except those whose handlers overrun, or with `caf::sec::invalid_argument`.
  ///
  /// Errors: std::invalid_argument if `handle` is not a managed pool, if `n` is
  ///         0, above `most_workers` or out of the bounds of
  ///         `managed_options::autoscale`, or if the pool has no factory. Does
  ///         nothing if the pool drains or has ended.
  static void resize(const pool_ref& handle, std::size_t n);

  /// Makes the managed pool behind `handle` stop accepting messages
  /// (`errc::pool_closed`), and end with its workers when all tasks are
  /// settled. The message ('SYS', 'DRAIN') has the same effect; a request is
  /// answered at the end. Throws std::invalid_argument if `handle` is not a
  /// managed pool.
  static void drain(const pool_ref& handle);

  /// Calls `told` once, when the managed pool behind `handle` is idle: all
  /// accepted messages are settled. Messages that handlers send to the pool
  /// before they return count as well, so a pool whose messages create further
  /// messages, such as a crawler, is idle when no message is left. The pool
  /// goes on afterwards. The message ('SYS', 'IDLE') has the same effect; a
  /// request is answered with an empty message when the pool is idle.
  ///
  /// A paused pool with waiting messages is not idle. A handler that runs on
  /// after its message was settled, for example after the deadline, does not
  /// count.
  ///
  /// Threads: `told` is called in the thread that handles the messages of the
  ///          pool, possibly before this function returns. It must neither
  ///          block nor throw.
  /// Errors:  the argument of `told` is errc{}, or `errc::pool_closed` if the
  ///          pool ends with messages that are not settled, or has ended.
  ///          std::invalid_argument if `handle` is not a managed pool.
  static void when_idle(const pool_ref& handle, std::function<void(errc)> told);

  /// Cancels messages of the managed pool behind `handle`, and returns how
  /// many. A message that no worker has begun is cancelled at once, and its
  /// client is answered with `errc::cancelled`. The handler of a message that a
  /// worker has begun is asked to stop, see `this_task`. If the pool intercepts
  /// answers, as options such as `deadline` require, the client is answered
  /// with `errc::cancelled` at once, and a later answer is dropped; otherwise
  /// the handler answers. The worker is busy until the handler returns. A part
  /// of a message that is gathered is cancelled like a message.
  ///
  /// The message ('SYS', 'CANCEL', which) has the same effect, and is answered
  /// with `cancel_counts`. Any client can send it through a handle made by
  /// `submit_only`: only messages of this client are cancelled then.
  ///
  /// Cost:   O(n) for n messages that are not settled. Leases are taken back.
  /// Errors: std::invalid_argument if `handle` is not a managed pool, or if
  ///         `selection` has an id or a flow, and the pool does not know those
  ///         of its messages (see `managed_options::id_of` and `throttled_by`).
  ///         Both counts are 0 if no message matches, or if the pool has ended.
  static cancel_counts cancel(const pool_ref& handle,
                              const selection& selection);

  /// Pauses the managed pool behind `handle`, or one of its flows, workers or
  /// nodes. From now on, no worker begins a message of the scope; messages that
  /// were sent and have not begun are taken back. Running handlers continue.
  /// Messages are accepted as before; `capacity` and deadlines still apply.
  /// While the whole pool is paused, it gets no messages from a pool that has
  /// it as a worker. Draining and ending the pool end all pauses.
  ///
  /// The message ('SYS', 'PAUSE', which) has the same effect; no scope: the
  /// whole pool. A request is answered with an empty message when no handler of
  /// the scope runs any more, with `errc::cancelled` if the scope is resumed
  /// before, and with `errc::pool_closed` if the pool drains or ends before.
  ///
  /// Cost:   O(n) for n messages that are not settled. Leases are taken back.
  /// Errors: std::invalid_argument if `handle` is not a managed pool, if the
  ///         pool has no such worker or node, or if it does not know the flows
  ///         of messages (see `managed_options::throttled_by`). Does nothing if
  ///         the pool drains or has ended.
  static void pause(const pool_ref& handle, const pause_scope& scope = {});

  /// Ends a pause of the managed pool behind `handle`, or of a part of it. Each
  /// scope has its own pause: a worker that was paused stays paused when the
  /// pool is resumed. The message ('SYS', 'RESUME', which) has the same effect.
  ///
  /// Errors: like `pause`.
  static void resume(const pool_ref& handle, const pause_scope& scope = {});

  /// Replaces all limits on the messages that workers of the managed pool
  /// behind `handle` have, see `managed_options::throttles`. A lower limit ends
  /// no running handler.
  ///
  /// Cost:   O(n) for n messages that are not settled.
  /// Errors: std::invalid_argument if `handle` is not a managed pool, if a
  ///         limit is out of bounds, if the pool does not know the flows of
  ///         messages, or if a rate is limited and the policy has eager
  ///         assignment. Does nothing if the pool drains or has ended.
  static void set_limits(const pool_ref& handle, const throttles& within);

  /// Changes values of the policy of the managed pool behind `handle`: shares
  /// of flows, weights of workers, or how fast priorities rise. Messages at
  /// workers stay there.
  ///
  /// Cost:   O(n log n) for n flows.
  /// Errors: std::invalid_argument if `handle` is not a managed pool, if a
  /// value
  ///         is out of bounds, if the policy does not use it, or if the pool
  ///         has no such worker; then nothing is changed. Does nothing if the
  ///         pool drains or has ended.
  static void set_policy_values(const pool_ref& handle,
                                const policy_values& values);

  // -- handles for submitters -------------------------------------------------

  /// Returns a handle that accepts only work for the pool or pipeline `pool`:
  /// messages that its workers or stages are to handle. The handle is meant for
  /// parts of the program that must not end the pool. For other programs, see
  /// nodes/serve.hpp. The messages of clients are passed on to the pool and
  /// answered as usual. Messages that pools and actors handle themselves (SYS
  /// requests, exit and down messages, errors, streams) are not passed on:
  /// requests are answered with `errc::not_work`, other messages are dropped.
  /// Exception: by ('SYS', 'CANCEL', which), a client cancels messages of its
  /// own. Links and monitors apply to this handle, not to the pool.
  ///
  /// All answers come from this handle. A client never sees a worker, unless a
  /// worker sends its own handle. A worker sees, as the sender, an actor that
  /// accepts answers and rejects requests.
  ///
  /// The handle ends with the pool, or when `close` is called: open requests
  /// are then answered with `errc::pool_closed`. Exit messages do not end the
  /// handle. Like any handle of a pool, the handle keeps the pool alive.
  ///
  /// Cost:   one actor for each message that has a sender.
  /// Errors: std::invalid_argument if `pool` is neither a pool nor a pipeline
  ///         of this process.
  static caf::actor submit_only(const caf::actor& pool);

  /// Returns a typed handle that accepts only work for the pool `pool`:
  /// messages that its workers are to handle. The handle cannot end or change
  /// the pool.
  template <class... Signatures>
  static caf::typed_actor<Signatures...>
  submit_only(const caf::typed_actor<Signatures...>& pool) {
    return caf::actor_cast<caf::typed_actor<Signatures...>>(
      submit_only(caf::actor_cast<caf::actor>(pool)));
  }

  /// Returns how many messages a handle made by `submit_only` has passed on to
  /// its pool, and how many it has rejected. Throws std::invalid_argument for
  /// any other handle.
  static submissions submissions_of(const pool_ref& handle);

  /// Ends a handle made by `submit_only`; the pool behind the handle continues.
  /// Throws std::invalid_argument for any other handle.
  static void close(const pool_ref& handle);

  actor_pool() = delete;

private:
  static policy placed_by(chosen<placement> placed, managed_options options) {
    recipe recipe;
    recipe.placement = std::move(placed);
    return managed(std::move(recipe), std::move(options));
  }

  static policy by_weight(const char* name, weight_options manner,
                          managed_options options);
  static policy make_gathered(const char* name, gathering manner,
                              const policy& over);
  static policy make_quorum(std::size_t n, std::size_t k,
                            std::unique_ptr<joiner> join,
                            const gather_options& options, const policy& over);
};

} // namespace libpool
