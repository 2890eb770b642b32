#pragma once

#include "libpool/actors/caf/port/home.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/factory.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/policy_options.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/split_join.hpp"
#include "libpool/actors/submissions.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/recorder.hpp"
#include "libpool/policies/broadcast_all.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/gather_parts.hpp"
#include "libpool/policies/peak_ewma.hpp"
#include "libpool/policies/random_placement.hpp"

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

/// Whether `F` is an invalid argument of `managed`: `F` does not convert to a
/// recipe, and is not a function that returns a composition.
template <class F>
constexpr bool is_no_recipe =
  !std::is_convertible_v<
    F, recipe> && !std::is_convertible_v<F, std::function<composition()>>;

} // namespace detail

/// Functions that return policies, and functions that make, query and control
/// pools. A pool is an actor in front of several workers; the policy of the
/// pool decides which worker gets each message. This class replaces
/// `caf::actor_pool` of CAF 0.17.6 at the source level. The guarantees below
/// hold even when workers fail.
///
/// The policy determines whether a pool is direct or managed. A direct pool
/// passes each message on when the message arrives, and keeps no record of the
/// message. Functors, and the policies that `caf::actor_pool` has as well, make
/// direct pools; all other policies make managed pools. A managed pool keeps
/// each message until a worker has room for the message, and settles each
/// accepted message exactly once, even if workers crash; see `managed_options`.
///
/// A pool owns its workers and is notified when a worker ends. An exit message
/// to the pool is forwarded to all workers and ends the pool. The end of the
/// last worker ends the pool as well (`caf::exit_reason::out_of_workers`). When
/// the last reference to the pool is gone (`unreachable`), the workers finish
/// the messages that they have begun. Then CAF destroys workers without
/// references; blocking workers, which CAF would not destroy, get an exit
/// message.
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
/// Removed workers are not stopped. Managed pools also handle ('SYS', 'RESIZE',
/// n), ('SYS', 'DRAIN') and ('SYS', 'STATS'), see `resize`, `drain` and
/// `stats`. All other messages go to the policy. A pool has no mailbox and no
/// thread, and is not run by the scheduler. A direct pool runs in the threads
/// of its senders; a managed pool also runs in the threads of its workers.
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
///          for a dead actor, `errc::cycle` for the pool itself.
///          make: std::invalid_argument for an empty policy or factory, for a
///          missing execution unit, or for a factory that returns no actor or
///          the same actor twice; exceptions from the factory, after the
///          workers made so far were stopped.
class actor_pool final {
public:
  /// Guard that is passed to a functor policy.
  using uplock = libpool::uplock;
  /// Workers that are passed to a functor policy.
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
  /// random, with draws from `seed`; see `random_draws`.
  static policy random(std::uint64_t seed);

  /// Returns a policy that splits each message into one task for each worker,
  /// and joins the results of the workers into one answer.
  ///
  /// `join`, `void (T&, const R&)`, adds one result to a copy of `init`. `join`
  /// is called once for each result, in the order of arrival unless `options`
  /// say otherwise. An empty answer of a worker is not a result. `split`, `void
  /// (worker_tasks&, const M&)`, fills in the task of each worker or leaves the
  /// task empty, as with CAF. Without `split`, each worker gets the whole
  /// message.
  ///
  /// A result has one element, of type R; a message has one element, of type M.
  /// With `caf::message&` in place of `const R&`, results may have any
  /// elements; with `caf::message&` in place of `const M&`, messages may have
  /// any elements, as with CAF.
  ///
  /// Both functions are copied for each message. `split` runs in the sender's
  /// thread. `join` runs in the threads of the workers, never concurrently for
  /// one message.
  ///
  /// Errors: the message fails with an error that names the worker as soon as a
  ///         worker answers with an error or ends (`errc::worker_failed`,
  ///         `errc::worker_crashed`), or takes longer than `options.timeout`
  ///         (`errc::timeout`). With `options.join_what_came`, such workers are
  ///         left out of the answer. `errc::policy_failed` if `split` or `join`
  ///         throws, if the message is not an M, or if a result is not an R.
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
  /// the highest `how.priority_of` goes first.
  static policy priority(rank_options how = {}, managed_options options = {});

  /// Returns a policy that keeps all messages in one queue, in which flows
  /// (`how.flow_of`) take turns by the cost of their messages. A flow that
  /// sends more messages than its share does not get more service while another
  /// flow waits.
  static policy fair_queuing(flow_options how = {},
                             managed_options options = {});

  // The following policies give each worker its own queue; see the placements
  // with the same names. A message is assigned to a worker when the message
  // arrives, and the choice can take differences between workers into account.
  // With the shared queue, workers are idle for less time.

  /// Returns a policy that assigns each message to the worker that
  /// `how.home_of` returns, or to the worker with the fewest messages in flight
  /// if the message has no home. An idle worker takes over messages that other
  /// workers have not begun, if moving a message costs less than waiting. If
  /// `how` and `options` have no function that states where messages run or how
  /// much they cost, tasks are assigned lazily: the pool then works like
  /// `shared_queue`, and no message is taken over.
  static policy work_stealing(home_options how = {},
                              managed_options options = {});

  /// Returns a policy that assigns messages to the workers in turn.
  static policy managed_round_robin(managed_options options = {}) {
    return placed_by("round_robin", std::move(options));
  }

  /// Returns a policy that assigns each message to a worker drawn uniformly at
  /// random.
  static policy managed_random(std::uint64_t seed = 1,
                               managed_options options = {}) {
    return placed_by({"random", draw_options{seed}}, std::move(options));
  }

  /// Returns a policy that assigns each message to the worker with the fewest
  /// messages in flight.
  static policy least_used(managed_options options = {}) {
    return placed_by("least_used", std::move(options));
  }

  /// Returns a policy that assigns each message to the worker that has spent
  /// the least time on messages so far.
  static policy least_busy(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"least_busy", how}, std::move(options));
  }

  /// Returns a policy that draws two workers for each message, and assigns the
  /// message to the worker with fewer messages in flight.
  static policy power_of_two_choices(std::uint64_t seed = 1,
                                     managed_options options = {}) {
    return placed_by({"power_of_two_choices", draw_options{seed}},
                     std::move(options));
  }

  /// Returns a policy that assigns each message to the worker with the least
  /// work in flight, by estimates for each kind of message (`how.kind_of`).
  static policy join_shortest_estimated_queue(kind_options how = {},
                                              managed_options options = {});

  /// Returns a policy that assigns each message to the worker that is expected
  /// to finish the message first, by estimates for each worker.
  static policy fair_share(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"fair_share", how}, std::move(options));
  }

  /// Returns a policy that assigns messages to each worker in turn, for as much
  /// service time as `how.weight_of` returns for the worker.
  static policy weighted_round_robin(weight_options how = {},
                                     managed_options options = {}) {
    return by_weight("weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Returns a policy that shares time like `weighted_round_robin`, but gives a
  /// worker with a large weight its time in several small portions.
  static policy interleaved_weighted_round_robin(weight_options how = {},
                                                 managed_options options = {}) {
    return by_weight("interleaved_weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Returns a policy that draws two workers for each message, and assigns the
  /// message to the worker with the smaller product of latency and load.
  static policy peak_ewma(peak_ewma_options how = {},
                          managed_options options = {}) {
    return placed_by({"peak_ewma", how}, std::move(options));
  }

  /// Returns a policy that assigns messages with equal keys (`how.key_of`) to
  /// the same worker, which handles these messages one after the other.
  static policy consistent_hash(key_options how, managed_options options = {});

  /// Returns the policy whose parts `how` names, see the catalogue. `asked`
  /// contains the functions that the parts use.
  ///
  /// Errors: std::invalid_argument names an option that is unknown, out of
  ///         bounds or in conflict with another one, or a function that no part
  ///         uses.
  static policy managed(recipe how, managed_options options = {},
                        message_functions asked = {});

  /// Returns a policy with the parts that `parts` returns. Each pool calls
  /// `parts` once.
  static policy managed(std::function<composition()> parts,
                        managed_options options = {},
                        message_functions asked = {});

  /// Rejects other arguments at compile time, with a message that states what
  /// `managed` accepts.
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

  /// Returns a policy that splits each message into parts, and joins the
  /// results of all parts, see `split_join`. Each part is a task for a worker
  /// that has room. `split` has the signature `std::vector<Part> (const M&)`
  /// and returns at least one part; a part may be a `caf::message`. Calls of
  /// `split` do not overlap. If a part fails, parts that have not begun are
  /// cancelled.
  ///
  /// Errors: those of `split_join`, and `errc::policy_failed` if `split`
  ///         returns no part.
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
      gathering how;
      how.plan = std::make_unique<gather_parts>(options);
      how.join = detail::make_joiner<T>(std::move(join), std::move(init));
      how.ordered = options.ordered;
      how.split = detail::untyped_parts(std::move(split));
      return make_gathered("managed_split_join", std::move(how), over);
    }
  }

  /// Returns a policy that sends each message to every worker and joins all
  /// results, see `split_join`.
  template <class T, class Join>
  static policy broadcast_all(Join join, T init = T(),
                              gather_options options = {},
                              const policy& over = shared_queue()) {
    gathering how;
    how.plan = std::make_unique<libpool::broadcast_all>(options);
    how.join = detail::make_joiner<T>(std::move(join), std::move(init));
    how.ordered = options.ordered;
    return make_gathered("broadcast_all", std::move(how), over);
  }

  /// Returns a policy that sends each message to `n` workers, or to all workers
  /// if there are fewer. The answer is the first success. If all workers fail,
  /// the answer is `errc::too_few_answers`, which carries the errors of the
  /// workers, see `errors_in`. If only one worker was asked, the answer is the
  /// error of that worker.
  static policy first_success(std::size_t n,
                              const policy& over = shared_queue());

  /// Returns a policy that sends each message to one worker, and also to a
  /// second worker if the first worker has not answered within `after`. The
  /// answer is the first success. If the first worker answers in time with an
  /// error, no second worker is asked. A second worker is asked for at most
  /// `budget` percent of all messages. If `after` is a percentile, no second
  /// worker is asked before 100 messages were answered by their first workers.
  /// Workers are busy until they have answered, even if `over` says otherwise.
  ///
  /// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
  static policy hedged(hedge_delay after, double budget = 5,
                       const policy& over = shared_queue());

  /// Returns a policy for workers that are replicas: each message goes to `n`
  /// workers, or to all workers if there are fewer. All these workers handle
  /// the message, even after the answer. When `k` workers have succeeded, the
  /// first result is the answer. If too many workers fail, the answer is
  /// `errc::too_few_answers`, which carries the errors of the workers, or the
  /// first error alone if all workers that were asked must succeed. With fewer
  /// than `k` workers, the message is refused with `errc::too_few_workers`.
  static policy quorum(std::size_t n, std::size_t k,
                       const policy& over = shared_queue());

  /// Returns a policy that sends each message to `n` workers, waits for `k`
  /// successes, and joins the results, see `split_join`.
  template <class T, class Join>
  static policy quorum(std::size_t n, std::size_t k, Join join, T init = T(),
                       gather_options options = {},
                       const policy& over = shared_queue()) {
    return make_quorum(n, k,
                       detail::make_joiner<T>(std::move(join), std::move(init)),
                       options, over);
  }

  /// Returns a policy with a custom plan, which decides how many workers are
  /// asked and when the message is answered, see `gather_plan`. `join` makes
  /// the answer.
  ///
  /// Errors: std::invalid_argument if the plan requires parts; such a plan
  ///         needs `gathered_parts`.
  static policy gathered(std::unique_ptr<gather_plan> plan,
                         std::unique_ptr<joiner> join,
                         const policy& over = shared_queue());

  /// Returns a policy with a custom plan. `join` folds the results into a T,
  /// see `split_join`.
  template <class T, class Join>
  static policy gathered(std::unique_ptr<gather_plan> plan, Join join,
                         T init = T(), const policy& over = shared_queue()) {
    return gathered(std::move(plan),
                    detail::make_joiner<T>(std::move(join), std::move(init)),
                    over);
  }

  /// Returns a policy with a custom plan that requires parts, see
  /// `managed_split_join`.
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
      gathering how;
      how.plan = std::move(plan);
      how.join = detail::make_joiner<T>(std::move(join), std::move(init));
      how.split = detail::untyped_parts(std::move(split));
      return make_gathered("gathered_parts", std::move(how), over);
    }
  }

  // -- workers on other nodes -------------------------------------------------

  /// Returns the policy `over` for a pool whose workers are nodes: agents that
  /// have joined the pool, see `join_pool`. The content of a message is
  /// serialized when the message is accepted, and travels as bytes. The tasks
  /// of a lost node fail with `errc::node_lost`. If `over` has `retry`, these
  /// tasks run again instead, as soon as it is certain that the lost node
  /// begins no more tasks. If `when_empty` is `end`, the default, the pool
  /// waits for nodes instead of ending.
  ///
  /// Errors: a message whose content cannot be written is refused with
  ///         `errc::not_serializable`. A message that no node can read, or
  ///         whose answer the pool cannot read, fails with `errc::unreadable`.
  ///         std::invalid_argument for a policy that is not managed, or for
  ///         options out of bounds.
  static policy distributed(node_options how = {},
                            const policy& over = shared_queue());

  // -- making pools -----------------------------------------------------------

  /// Makes a pool without workers, in the actor system `where`.
  static caf::actor make(home where, policy how, pool_options options = {});

  /// Makes a pool of `n` workers. `fac` is called once for each worker, and
  /// returns a new actor at each call.
  static caf::actor make(home where, std::size_t n, const factory& fac,
                         policy how, pool_options options = {});

  /// Makes a pool of `n` workers. `fac` is called once for each worker, and
  /// returns a new actor at each call, for example the handle of a typed actor.
  template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
  static caf::actor make(home where, std::size_t n, F fac, policy how,
                         pool_options options = {}) {
    return make(where, n, detail::factory_of(std::move(fac)), std::move(how),
                std::move(options));
  }

  // -- querying and controlling pools -----------------------------------------

  /// Returns the state and the counters of the pool behind `handle`. Throws
  /// std::invalid_argument if `handle` is not a pool of this process.
  static pool_stats stats(const caf::actor& handle);

  /// Returns the stats of the pool behind `handle` without `members`; cheap
  /// enough to poll. Running tasks may be counted as sent; only the 64
  /// unfinished tasks that were sent first are always counted exactly.
  ///
  /// Cost: O(flows); independent of the number of workers.
  static pool_stats summary(const caf::actor& handle);

  /// Makes the managed pool behind `handle` record the runs of its handlers.
  /// The new recording replaces the former one. If `within.last` is zero, the
  /// default, recording is off. Recording requires `measure_times`. Throws
  /// std::invalid_argument if `handle` is not a managed pool.
  ///
  /// Cost: about 50 ns for each task; 88 bytes and the trace for each run that
  ///       is kept.
  static void record(const caf::actor& handle, const recorder_limits& within);

  /// Returns the recorded runs that ended at `since` or later, the runs that
  /// have not ended, and the waiting tasks. `timeline_of` makes a timeline of a
  /// recording; a timeline can be drawn or written as a trace.
  ///
  /// Cost: O(runs kept + open tasks + workers) in the thread that handles the
  ///       pool's messages: several milliseconds if all three numbers are
  ///       large.
  static recording recorded(const caf::actor& handle, instant since = {});

  /// Sets the number of workers of the managed pool behind `handle` to `n`. The
  /// pool's factory makes new workers. If the pool becomes smaller, the newest
  /// workers leave first; each worker ends the tasks that it has begun. The
  /// message ('SYS', 'RESIZE', n) has the same effect; a request is answered
  /// when all removed workers have left. Throws std::invalid_argument if
  /// `handle` is not a managed pool, or if `n` is 0.
  static void resize(const caf::actor& handle, std::size_t n);

  /// Makes the managed pool behind `handle` stop accepting messages
  /// (`errc::pool_closed`), and end with its workers when all tasks are
  /// settled. The message ('SYS', 'DRAIN') has the same effect; a request is
  /// answered at the end. Throws std::invalid_argument if `handle` is not a
  /// managed pool.
  static void drain(const caf::actor& handle);

  // Overloads for pools with typed handles, see `spawn_typed_pool`.

  /// Returns the state and the counters of a pool with a typed handle.
  template <class... Signatures>
  static pool_stats stats(const caf::typed_actor<Signatures...>& handle) {
    return stats(caf::actor_cast<caf::actor>(handle));
  }

  /// Returns the stats of a pool with a typed handle, without `members`.
  template <class... Signatures>
  static pool_stats summary(const caf::typed_actor<Signatures...>& handle) {
    return summary(caf::actor_cast<caf::actor>(handle));
  }

  /// Sets the number of workers of a managed pool with a typed handle.
  template <class... Signatures>
  static void resize(const caf::typed_actor<Signatures...>& handle,
                     std::size_t n) {
    resize(caf::actor_cast<caf::actor>(handle), n);
  }

  /// Makes a managed pool with a typed handle stop accepting messages, and end
  /// when all tasks are settled.
  template <class... Signatures>
  static void drain(const caf::typed_actor<Signatures...>& handle) {
    drain(caf::actor_cast<caf::actor>(handle));
  }

  // -- handles for submitters -------------------------------------------------

  /// Returns a handle that accepts only work for the pool or pipeline behind
  /// `pool`, for parts of the program that must not end the pool. For other
  /// programs, see remote/serve.hpp. The messages of clients are passed on to
  /// the pool and answered as usual. Messages that pools and actors handle
  /// themselves (SYS requests, exit and down messages, errors, streams) are not
  /// passed on: requests are answered with `errc::not_work`, other messages are
  /// dropped. Links and monitors apply to this handle, not to the pool.
  ///
  /// All answers come from this handle. A client never sees a worker, unless a
  /// worker sends its own handle. The sender that a worker sees accepts
  /// answers, and rejects requests.
  ///
  /// The handle ends with the pool, or when `close` is called: open requests
  /// are then answered with `errc::pool_closed`. Exit messages do not end the
  /// handle. Like any handle of a pool, the handle keeps the pool alive.
  ///
  /// Cost:   one actor for each message that has a sender.
  /// Errors: std::invalid_argument if `pool` is neither a pool nor a pipeline
  ///         of this process.
  static caf::actor submit_only(const caf::actor& pool);

  /// Returns a typed handle that accepts only work for the pool behind `pool`.
  template <class... Signatures>
  static caf::typed_actor<Signatures...>
  submit_only(const caf::typed_actor<Signatures...>& pool) {
    return caf::actor_cast<caf::typed_actor<Signatures...>>(
      submit_only(caf::actor_cast<caf::actor>(pool)));
  }

  /// Returns the numbers of messages that a handle made by `submit_only` has
  /// passed on and rejected. Throws std::invalid_argument for any other handle.
  static submissions submissions_of(const caf::actor& handle);

  /// Returns the numbers of messages that a typed handle made by `submit_only`
  /// has passed on and rejected.
  template <class... Signatures>
  static submissions
  submissions_of(const caf::typed_actor<Signatures...>& handle) {
    return submissions_of(caf::actor_cast<caf::actor>(handle));
  }

  /// Ends a handle made by `submit_only`; the pool behind the handle continues.
  /// Throws std::invalid_argument for any other handle.
  static void close(const caf::actor& handle);

  /// Ends a typed handle made by `submit_only`; the pool behind the handle
  /// continues.
  template <class... Signatures>
  static void close(const caf::typed_actor<Signatures...>& handle) {
    close(caf::actor_cast<caf::actor>(handle));
  }

  actor_pool() = delete;

private:
  static policy placed_by(chosen<placement> placed, managed_options options) {
    recipe how;
    how.placement = std::move(placed);
    return managed(std::move(how), std::move(options));
  }

  static policy by_weight(const char* name, weight_options how,
                          managed_options options);
  static policy make_gathered(const char* name, gathering how,
                              const policy& over);
  static policy make_quorum(std::size_t n, std::size_t k,
                            std::unique_ptr<joiner> join,
                            const gather_options& options, const policy& over);
};

} // namespace libpool
