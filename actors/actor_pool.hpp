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

/// Whether `F` is neither a recipe nor a function that returns a composition.
template <class F>
constexpr bool is_no_recipe =
  !std::is_convertible_v<
    F, recipe> && !std::is_convertible_v<F, std::function<composition()>>;

} // namespace detail

/// An actor handle in front of many workers, with a policy that decides which
/// worker gets each message. This class holds the policies, and the functions
/// that make, query and control pools. It is a source-level replacement for
/// `caf::actor_pool` of CAF 0.17.6 that keeps its guarantees when workers fail.
///
/// The policy makes a pool direct or managed. A direct pool passes each message
/// on when the message arrives, and keeps no record of it; its policy is one
/// that `caf::actor_pool` has too, or a functor. A managed pool keeps each
/// message until a worker has room for the message, and settles it exactly
/// once, even if workers crash; all other policies make managed pools, see
/// `managed_options`.
///
/// The pool owns its workers and is notified when a worker ends. An exit
/// message to the pool is forwarded to all workers and ends the pool. The end
/// of the last worker ends the pool as well
/// (`caf::exit_reason::out_of_workers`). When the last reference to the pool is
/// gone (`unreachable`), the workers finish the messages that they have begun.
/// Then CAF destroys workers without references; blocking workers, which CAF
/// would not destroy, get an exit message.
///
/// Workers are managed by messages, as with CAF. The pool answers such a
/// message if it is a request:
///
/// | message                   | effect                  | answer            |
/// | ------------------------- | ----------------------- | ----------------- |
/// | ('SYS', 'PUT', worker)    | adds the worker         | nothing, or error |
/// | ('SYS', 'DELETE', worker) | removes the worker      | nothing           |
/// | ('SYS', 'DELETE')         | removes all workers     | nothing           |
/// | ('SYS', 'GET')            |                         | vector<actor>     |
///
/// Removed workers are not stopped. The messages of `resize`, `drain` and
/// `stats` are for managed pools only. All other messages go to the policy. The
/// pool has no mailbox, no thread and no turn in the scheduler: it runs in the
/// threads of its senders and, if it is managed, also in the threads of its
/// workers.
///
/// Order:   messages from one sender to one worker arrive in order, unless the
///          policy says otherwise.
/// Cost:    direct: about 10 ns and one atomic exchange for each message, plus
///          the cost of the policy; a change of the workers copies the list of
///          workers. Managed: about the cost of two more plain sends for each
///          message.
/// Threads: any number of senders; no sender waits for another one.
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
  /// Guard that a functor policy gets.
  using uplock = libpool::uplock;
  /// The workers that a functor policy gets.
  using actor_vec = libpool::actor_vec;
  /// Makes one worker at each call.
  using factory = std::function<caf::actor()>;
  /// Decides which worker gets each message.
  using policy = libpool::policy;

  // -- policies of direct pools -----------------------------------------------

  /// Sends messages to the workers in turn, in the order in which they joined.
  ///
  /// Cost: one counter that all senders share.
  static policy round_robin();

  /// Sends each message to every worker. The client sees the first answer or
  /// error, and no other.
  ///
  /// Cost: one mailbox element for each worker; the content is shared.
  static policy broadcast();

  /// Sends each message to a worker drawn uniformly. The seed is drawn from the
  /// operating system, once.
  ///
  /// Cost: senders share nothing.
  static policy random();

  /// Sends each message to a worker drawn uniformly, from the given seed; see
  /// `random_draws`.
  static policy random(std::uint64_t seed);

  /// Splits each message into tasks and joins the results into one answer.
  ///
  /// `join`, `void (T&, const R&)`, is called once for each result, in the
  /// order of arrival unless `options` say otherwise. It starts from a copy of
  /// `init`. A worker that answers with nothing has no result. `split`, `void
  /// (worker_tasks&, const M&)`, fills in the task of each worker or leaves the
  /// task empty, as with CAF. Without `split`, each worker gets the whole
  /// message.
  ///
  /// R and M are the types of the only element of a result and of a message.
  /// With `caf::message&` in place of `const R&` or `const M&`, results or
  /// messages may have any elements, as with CAF.
  ///
  /// Both functions are copied for each message. `split` runs in the sender's
  /// thread. `join` runs in the threads of the workers, never concurrently for
  /// one message.
  ///
  /// Errors: the message fails with an error that names the worker as soon as a
  ///         worker answers with an error or ends (`errc::worker_failed`,
  ///         `errc::worker_crashed`), or takes longer than `options.timeout`
  ///         (`errc::timeout`); `gather_options` can change this.
  ///         `errc::policy_failed` if `split` or `join` throws, if the message
  ///         is not an M, or if a result is not an R.
  template <class T, class Join, class Split = detail::split_to_all>
  static policy split_join(Join join, Split split = Split(), T init = T(),
                           gather_options options = {}) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(
      !makes_parts,
      "libpool: the split of split_join fills in the tasks of the workers; a "
      "split that returns the parts requires managed_split_join");
    if constexpr (makes_parts || !detail::check_split<Split>())
      return {};
    else
      return policy{make_split_join(
        detail::untyped_tasks(std::move(split)),
        detail::make_joiner<T>(std::move(join), std::move(init)), options)};
  }

  // -- policies of managed pools ----------------------------------------------

  /// Keeps all messages in one queue. The idle worker that was chosen least
  /// recently gets the next message, so no message waits while a worker is
  /// idle.
  ///
  /// Cost:   that of about one more plain send for each message.
  /// Errors: std::invalid_argument names an option that is out of bounds.
  static policy shared_queue(managed_options options = {});

  /// Keeps all messages in one queue; the highest `how.priority_of` goes first.
  static policy priority(rank_options how = {}, managed_options options = {});

  /// Keeps all messages in one queue in which flows (`how.flow_of`) take turns,
  /// by the cost of their messages so far: a flow that sends more gets no more
  /// service while other flows wait.
  static policy fair_queuing(flow_options how = {},
                             managed_options options = {});

  // The following policies give each worker a queue of its own; see the
  // placements of the same names. They keep workers less busy than the shared
  // queue does, but the worker of a message is known when the message arrives,
  // and workers may differ.

  /// Assigns each message to the worker that `how.home_of` names, or else to
  /// the worker with the fewest messages in flight. An idle worker takes over
  /// messages that other workers have not begun, if moving them costs less than
  /// waiting. If no function says where messages may run or what they cost,
  /// tasks are assigned lazily: the pool is then a shared queue, and no message
  /// is taken over.
  static policy work_stealing(home_options how = {},
                              managed_options options = {});

  /// Assigns messages to the workers in turn.
  static policy managed_round_robin(managed_options options = {}) {
    return placed_by("round_robin", std::move(options));
  }

  /// Assigns each message to a worker drawn uniformly.
  static policy managed_random(std::uint64_t seed = 1,
                               managed_options options = {}) {
    return placed_by({"random", draw_options{seed}}, std::move(options));
  }

  /// Assigns each message to the worker with the fewest messages in flight.
  static policy least_used(managed_options options = {}) {
    return placed_by("least_used", std::move(options));
  }

  /// Assigns each message to the worker that has worked the least so far.
  static policy least_busy(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"least_busy", how}, std::move(options));
  }

  /// Draws two workers, and assigns the message to the one with fewer messages
  /// in flight.
  static policy power_of_two_choices(std::uint64_t seed = 1,
                                     managed_options options = {}) {
    return placed_by({"power_of_two_choices", draw_options{seed}},
                     std::move(options));
  }

  /// Assigns each message to the worker with the least work in flight, by
  /// estimates for each kind of message (`how.kind_of`).
  static policy join_shortest_estimated_queue(kind_options how = {},
                                              managed_options options = {});

  /// Assigns each message to the worker that would end it first, by estimates.
  static policy fair_share(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"fair_share", how}, std::move(options));
  }

  /// Assigns messages to each worker in turn, for the time that `how.weight_of`
  /// returns for the worker.
  static policy weighted_round_robin(weight_options how = {},
                                     managed_options options = {}) {
    return by_weight("weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Shares time like `weighted_round_robin`, but in small portions, the
  /// lightest share first.
  static policy interleaved_weighted_round_robin(weight_options how = {},
                                                 managed_options options = {}) {
    return by_weight("interleaved_weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Draws two workers, and assigns the message to the one with the smaller
  /// product of latency and load.
  static policy peak_ewma(peak_ewma_options how = {},
                          managed_options options = {}) {
    return placed_by({"peak_ewma", how}, std::move(options));
  }

  /// Assigns messages with equal `how.key_of` to one worker, which handles them
  /// one after the other.
  static policy consistent_hash(key_options how, managed_options options = {});

  /// Makes the policy whose parts `how` names in the catalogue. `asked` has the
  /// functions that the parts ask for.
  ///
  /// Errors: std::invalid_argument names an option that is unknown, out of
  ///         bounds or in conflict with another one, or a function that no part
  ///         asks for.
  static policy managed(recipe how, managed_options options = {},
                        message_functions asked = {});

  /// Makes a policy of the parts that `parts` returns. Each pool calls `parts`
  /// once.
  static policy managed(std::function<composition()> parts,
                        managed_options options = {},
                        message_functions asked = {});

  /// Rejects other functions at compile time, with a message that says what
  /// `managed` takes.
  template <class F, class = std::enable_if_t<detail::is_no_recipe<F>>>
  static policy managed(F, const managed_options& = {},
                        const message_functions& = {}) {
    static_assert(!detail::is_no_recipe<F>,
                  "libpool: managed requires a libpool::recipe, or a function "
                  "without parameters that returns a libpool::composition");
    return {};
  }

  // The following policies have several workers handle each message, in a
  // managed pool with the policy `over`. A client gets one answer. After the
  // answer, no further task of the message begins, except with `quorum`. After
  // the end of the client, no further task begins.
  //
  // Load:   each worker that is asked has a task of its own, which counts like
  //         any other task. If a policy asks some of the workers, a worker that
  //         ends or is removed before it has begun is replaced by a worker that
  //         was not asked, unless there is none or the pool drains.
  // Cost:   O(workers) for each message, to choose the workers.
  // Errors: std::invalid_argument for a policy that is not managed, that
  //         gathers already, or whose options choose workers.

  /// Splits each message into parts, which become tasks for workers with room,
  /// and joins all results, see `split_join`. `split` has the signature
  /// `std::vector<Part> (const M&)` and returns at least one part; a part may
  /// be a `caf::message`. Calls of `split` do not overlap. If a part fails,
  /// parts that have not begun are cancelled.
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

  /// Sends each message to every worker and joins all results, see
  /// `split_join`.
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

  /// Asks `n` workers, or all if there are fewer. The answer is the first
  /// success. If all workers fail, the answer is `errc::too_few_answers`, which
  /// carries their errors, see `errors_in`, or the error itself if only one
  /// worker was asked.
  static policy first_success(std::size_t n,
                              const policy& over = shared_queue());

  /// Asks one worker, and a second one if the first has not answered within
  /// `after`. The answer is the first success. A worker that answers in time
  /// with an error has answered: no second worker is asked. At most `budget`
  /// percent of all messages are handled twice. If `after` is a percentile, a
  /// second worker is asked only after a hundred first workers have answered.
  /// Workers are busy until they have answered, even if `over` says otherwise.
  ///
  /// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
  static policy hedged(hedge_delay after, double budget = 5,
                       const policy& over = shared_queue());

  /// Asks `n` workers, or all if there are fewer, for replicas that have to
  /// agree. All of them handle the message, even after the answer. When `k`
  /// workers have succeeded, the first result is the answer. If too many fail,
  /// the answer is `errc::too_few_answers`, which carries their errors, or the
  /// first error alone if all workers that were asked have to succeed. With
  /// fewer than `k` workers, the message is refused with
  /// `errc::too_few_workers`.
  static policy quorum(std::size_t n, std::size_t k,
                       const policy& over = shared_queue());

  /// Waits for `k` successes and joins their results, see `split_join`.
  template <class T, class Join>
  static policy quorum(std::size_t n, std::size_t k, Join join, T init = T(),
                       gather_options options = {},
                       const policy& over = shared_queue()) {
    return make_quorum(n, k,
                       detail::make_joiner<T>(std::move(join), std::move(init)),
                       options, over);
  }

  /// Uses a custom plan, which says how many workers are asked and when the
  /// message is answered, see `gather_plan`. `join` makes the answer.
  ///
  /// Errors: also std::invalid_argument for a plan that asks for parts.
  static policy gathered(std::unique_ptr<gather_plan> plan,
                         std::unique_ptr<joiner> join,
                         const policy& over = shared_queue());

  /// Uses a custom plan and folds results into a T, see `split_join`.
  template <class T, class Join>
  static policy gathered(std::unique_ptr<gather_plan> plan, Join join,
                         T init = T(), const policy& over = shared_queue()) {
    return gathered(std::move(plan),
                    detail::make_joiner<T>(std::move(join), std::move(init)),
                    over);
  }

  /// Uses a custom plan that asks for parts, see `managed_split_join`.
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

  /// Makes `over` the policy of a pool whose workers are nodes: agents that
  /// have joined the pool, see `join_pool`. The content of a message travels as
  /// bytes, which are made when the message is accepted. The tasks of a lost
  /// node fail with `errc::node_lost`. If `over` has `retry`, they run again
  /// once the lost node begins no more tasks. If `when_empty` is `end`, the
  /// default, the pool waits for nodes instead of ending.
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

  /// Makes a pool of `n` workers. `fac` is called for each worker and returns a
  /// new actor each time. It may return handles of typed actors.
  static caf::actor make(home where, std::size_t n, const factory& fac,
                         policy how, pool_options options = {});

  /// Makes a pool of `n` workers. `fac` is any other function that returns a
  /// new actor each time; it may return handles of typed actors.
  template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
  static caf::actor make(home where, std::size_t n, F fac, policy how,
                         pool_options options = {}) {
    return make(where, n, detail::factory_of(std::move(fac)), std::move(how),
                std::move(options));
  }

  // -- asking and telling pools -----------------------------------------------

  /// Returns the state and the counters of the pool behind `handle`. Throws
  /// std::invalid_argument if `handle` is not a pool of this process.
  static pool_stats stats(const caf::actor& handle);

  /// Returns the stats without `members`; cheap enough to poll. If mailboxes
  /// have more than 64 tasks, tasks that were sent later may be counted as sent
  /// although they run.
  ///
  /// Cost: O(flows); independent of the number of workers.
  static pool_stats summary(const caf::actor& handle);

  /// Makes the managed pool behind `handle` record the runs of its handlers
  /// from now on. Replaces the former recording. A `last` of zero turns
  /// recording off, which is the default. Recording needs `measure_times`.
  /// Throws std::invalid_argument if `handle` is not a managed pool.
  ///
  /// Cost: some 50 ns for each task; 88 bytes, and the trace, for each run that
  ///       is kept.
  static void record(const caf::actor& handle, const recorder_limits& within);

  /// Returns the recorded runs that ended at `since` or later, the runs that
  /// have not ended, and the tasks that wait. `timeline_of` makes a timeline of
  /// them, which can be drawn or written as a trace.
  ///
  /// Cost: O(runs kept + open tasks + workers) in the thread that handles the
  ///       pool's messages: some milliseconds if all three are large.
  static recording recorded(const caf::actor& handle, instant since = {});

  /// Sets the number of workers of the managed pool behind `handle` to `n`. The
  /// pool's factory makes new workers. The newest workers leave first, each
  /// after the tasks that it has begun. The message ('SYS', 'RESIZE', n) has
  /// the same effect; a request is answered when the workers have left. Throws
  /// std::invalid_argument if `handle` is not a managed pool, or if `n` is 0.
  static void resize(const caf::actor& handle, std::size_t n);

  /// Makes the managed pool behind `handle` stop accepting messages
  /// (`errc::pool_closed`), and end with its workers when all tasks are
  /// settled. The message ('SYS', 'DRAIN') has the same effect; a request is
  /// answered at the end. Throws std::invalid_argument if `handle` is not a
  /// managed pool.
  static void drain(const caf::actor& handle);

  // The same functions for pools with typed handles, see `spawn_typed_pool`.

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

  // -- giving pools away ------------------------------------------------------

  /// Returns a handle that lets others submit work to the pool or pipeline
  /// behind `pool`, and nothing else; for example for actors of other nodes.
  /// Messages of clients are passed on to the pool and answered as usual.
  /// Messages that pools and actors handle themselves (SYS requests, exit and
  /// down messages, errors, streams) are not passed on: requests are answered
  /// with `errc::not_work`, other messages are dropped. Links and monitors
  /// apply to this handle, not to the pool.
  ///
  /// All answers come from this handle: a client never sees a worker, unless a
  /// worker sends its own handle. The sender that a worker sees accepts
  /// answers, but no requests.
  ///
  /// The handle ends with its pool, or by `close`: open requests are then
  /// answered with `errc::pool_closed`. Exit messages do not end the handle. It
  /// keeps the pool alive, as any handle does.
  ///
  /// Cost:   one actor for each message that has a sender.
  /// Errors: std::invalid_argument if `pool` is neither a pool nor a pipeline
  ///         of this process.
  static caf::actor submit_only(const caf::actor& pool);

  /// Returns a typed handle that lets others submit work to the pool behind
  /// `pool`, and nothing else.
  template <class... Signatures>
  static caf::typed_actor<Signatures...>
  submit_only(const caf::typed_actor<Signatures...>& pool) {
    return caf::actor_cast<caf::typed_actor<Signatures...>>(
      submit_only(caf::actor_cast<caf::actor>(pool)));
  }

  /// Returns how many messages a handle made by `submit_only` has passed on,
  /// and how many it has rejected. Throws std::invalid_argument for any other
  /// handle.
  static submissions submissions_of(const caf::actor& handle);

  /// Returns how many messages a typed handle made by `submit_only` has passed
  /// on, and how many it has rejected.
  template <class... Signatures>
  static submissions
  submissions_of(const caf::typed_actor<Signatures...>& handle) {
    return submissions_of(caf::actor_cast<caf::actor>(handle));
  }

  /// Ends a handle made by `submit_only`; its pool continues. Throws
  /// std::invalid_argument for any other handle.
  static void close(const caf::actor& handle);

  /// Ends a typed handle made by `submit_only`; its pool continues.
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
