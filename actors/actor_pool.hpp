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

/// Whether no policy of managed pools can be made of it.
template <class F>
constexpr bool is_no_recipe =
  !std::is_convertible_v<
    F, recipe> && !std::is_convertible_v<F, std::function<composition()>>;

} // namespace detail

/// One actor handle in front, many workers behind, and a policy that decides
/// which worker gets a message. A source-level drop-in for `caf::actor_pool` of
/// CAF 0.17.6 that keeps its promises when workers fail: the policies, and the
/// functions that make, ask and manage pools.
///
/// The policy makes a pool direct or managed. A direct pool hands on each
/// message at once, and forgets it: CAF's own policies and functors. A managed
/// pool keeps each message until a worker has room for it, and settles it
/// exactly once, also when workers die: all other policies, see
/// `managed_options`.
///
/// The pool owns its workers and is told when one dies. An exit message goes on
/// to all of them and ends the pool; so does the death of the last worker
/// (`caf::exit_reason::out_of_workers`). When the last reference to the pool is
/// gone (`unreachable`), its workers finish the messages that they have begun:
/// then they vanish, as actors without references do; blocking ones, which
/// never would, get an exit message. Workers are managed by messages, as with
/// CAF; sent as requests, these are answered:
///
/// | message                   | effect                  | answer            |
/// | ------------------------- | ----------------------- | ----------------- |
/// | ('SYS', 'PUT', worker)    | adds the worker         | nothing, or error |
/// | ('SYS', 'DELETE', worker) | takes it out, unharmed  | nothing           |
/// | ('SYS', 'DELETE')         | takes all out, unharmed | nothing           |
/// | ('SYS', 'GET')            |                         | vector<actor>     |
///
/// The messages of `resize`, `drain` and `stats` are for managed pools. Every
/// other message goes to the policy. The pool runs in the threads of its
/// senders, and if it is managed in those of its workers: it has no mailbox, no
/// thread and no turn in the scheduler.
///
/// Order:   messages of one sender to one worker arrive in order, unless the
///          policy says otherwise.
/// Cost:    direct: about 10 ns and one atomic exchange a message, besides what
///          the policy needs; a change of the workers copies the list of them.
///          Managed: about what a plain send costs, twice more.
/// Threads: any number of senders; none waits for another one.
/// Errors:  a request gets `errc::no_workers`, `errc::policy_failed`,
///          `errc::cycle` where pools contain each other, or
///          `caf::sec::request_receiver_down` once the pool has ended. Other
///          messages go to `on_refused`. PUT: `errc::worker_down` for a dead
///          actor, `errc::cycle` for the pool itself.
///          make: std::invalid_argument for an empty policy or factory, no
///          execution unit, or a factory that returns no actor or one twice;
///          exceptions from the factory, after the workers made so far were
///          stopped.
class actor_pool final {
public:
  using uplock = libpool::uplock;
  using actor_vec = libpool::actor_vec;
  using factory = std::function<caf::actor()>;
  using policy = libpool::policy;

  // -- policies of direct pools -----------------------------------------------

  /// Each worker in turn, in the order in which they joined.
  ///
  /// Cost: one counter that all senders share.
  static policy round_robin();

  /// Every worker gets every message. A client sees the first answer or error,
  /// and no other.
  ///
  /// Cost: one mailbox element per worker; the content is shared.
  static policy broadcast();

  /// A worker drawn uniformly; seeded from the operating system, once.
  ///
  /// Cost: senders share nothing.
  static policy random();

  /// Draws each worker uniformly, from the given seed, see `random_draws`.
  static policy random(std::uint64_t seed);

  /// Splits each message into tasks and joins the results into one answer.
  ///
  /// `join`, `void (T&, const R&)`, is called once per result, in the order of
  /// arrival unless `options` say otherwise, starting from a copy of `init`; a
  /// worker that answers nothing has none. `split`, `void (worker_tasks&, const
  /// M&)`, fills in a task per worker, or leaves it empty, as with CAF; without
  /// one each worker gets the whole message.
  ///
  /// R and M are what the result and the message are made of, one element. With
  /// `caf::message&` in the place of `const R&` or `const M&` they may be made
  /// of anything, as with CAF.
  ///
  /// Both are copied for each message. `split` runs in the sender's thread;
  /// `join` in the threads of the workers, for one message never at the same
  /// time.
  ///
  /// Errors: the first worker that answers with an error, dies
  ///         (`errc::worker_failed`, `errc::worker_crashed`), or takes longer
  ///         than `options.timeout` (`errc::timeout`) ends it with an error
  ///         that names the worker; see `gather_options` for another way. If
  ///         `split` or `join` throw, the message is no M, or a result is no R:
  ///         `errc::policy_failed`.
  template <class T, class Join, class Split = detail::split_to_all>
  static policy split_join(Join join, Split split = Split(), T init = T(),
                           gather_options options = {}) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(!makes_parts,
                  "libpool: a split that returns the parts is one for "
                  "managed_split_join; that of split_join fills in the tasks");
    if constexpr (makes_parts || !detail::check_split<Split>())
      return {};
    else
      return policy{make_split_join(
        detail::untyped_tasks(std::move(split)),
        detail::make_joiner<T>(std::move(join), std::move(init)), options)};
  }

  // -- policies of managed pools ----------------------------------------------

  /// One queue for all: of the idle workers the one that was chosen longest ago
  /// gets the next message, so none waits while a worker is idle.
  ///
  /// Cost:   about what a plain send costs, once more.
  /// Errors: std::invalid_argument names an option that is out of bounds.
  static policy shared_queue(managed_options options = {});

  /// One queue, the highest `how.priority_of` first.
  static policy priority(rank_options how = {}, managed_options options = {});

  /// One queue, with turns for each `how.flow_of`, by what its messages have
  /// cost so far: a flow that sends more gets no more while others wait.
  static policy fair_queuing(flow_options how = {},
                             managed_options options = {});

  // Each worker has a queue of its own, see the placements of these names.
  // These policies keep all workers busy less well than the shared queue, but
  // the worker of a message is known when it comes, and workers may differ.

  /// The worker that `how.home_of` names, or else the one with the fewest
  /// messages in flight; workers that have nothing to do take over messages
  /// that others have not begun, if moving them costs less than waiting. Where
  /// no function says where messages may run or what they cost, none goes to a
  /// worker that has no room for it: the pool is a shared queue then, and
  /// nothing is left to take over.
  static policy work_stealing(home_options how = {},
                              managed_options options = {});

  /// Each worker in turn.
  static policy managed_round_robin(managed_options options = {}) {
    return placed_by("round_robin", std::move(options));
  }

  /// A worker drawn uniformly.
  static policy managed_random(std::uint64_t seed = 1,
                               managed_options options = {}) {
    return placed_by({"random", draw_options{seed}}, std::move(options));
  }

  /// The fewest messages in flight.
  static policy least_used(managed_options options = {}) {
    return placed_by("least_used", std::move(options));
  }

  /// The least time worked so far.
  static policy least_busy(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"least_busy", how}, std::move(options));
  }

  /// The one with fewer messages in flight of two workers that are drawn.
  static policy power_of_two_choices(std::uint64_t seed = 1,
                                     managed_options options = {}) {
    return placed_by({"power_of_two_choices", draw_options{seed}},
                     std::move(options));
  }

  /// The least work in flight, by what messages of each `how.kind_of` take.
  static policy join_shortest_estimated_queue(kind_options how = {},
                                              managed_options options = {});

  /// The worker that would have ended the message first, by estimates.
  static policy fair_share(estimate_options how = {},
                           managed_options options = {}) {
    return placed_by({"fair_share", how}, std::move(options));
  }

  /// Each worker in turn, for as long as `how.weight_of` says.
  static policy weighted_round_robin(weight_options how = {},
                                     managed_options options = {}) {
    return by_weight("weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Shares of time in small portions, the lightest share first.
  static policy interleaved_weighted_round_robin(weight_options how = {},
                                                 managed_options options = {}) {
    return by_weight("interleaved_weighted_round_robin", std::move(how),
                     std::move(options));
  }

  /// Of two workers that are drawn, the smaller product of latency and load.
  static policy peak_ewma(peak_ewma_options how = {},
                          managed_options options = {}) {
    return placed_by({"peak_ewma", how}, std::move(options));
  }

  /// Messages of one `how.key_of` to one worker, one after the other.
  static policy consistent_hash(key_options how, managed_options options = {});

  /// Whatever the catalogue has, by name, with the functions that its parts ask
  /// for.
  ///
  /// Errors: std::invalid_argument names an option that is unknown, out of
  ///         bounds or does not go with another one, and a function that no
  ///         part asks for.
  static policy managed(recipe how, managed_options options = {},
                        message_functions asked = {});

  /// Parts of one's own: each pool calls `parts` once.
  static policy managed(std::function<composition()> parts,
                        managed_options options = {},
                        message_functions asked = {});

  template <class F, class = std::enable_if_t<detail::is_no_recipe<F>>>
  static policy managed(F, const managed_options& = {},
                        const message_functions& = {}) {
    static_assert(
      !detail::is_no_recipe<F>,
      "libpool: managed takes a libpool::recipe, or a function that "
      "takes nothing and returns a libpool::composition");
    return {};
  }

  // The following policies have several workers handle a message, in a managed
  // pool with the policy `over`. A client gets one answer. When it is gone, or
  // has its answer, no further task of the message begins, but for a quorum
  // that has been reached.
  //
  // Load:   each worker that is asked has a task of its own, which counts like
  //         any other. Where some workers are asked, one that dies or is taken
  //         out before it has begun is replaced by one that was not asked, if
  //         there is one and the pool does not drain.
  // Cost:   O(workers) a message to choose among them.
  // Errors: std::invalid_argument for a policy that is not managed, that
  //         gathers already, or that has options which choose workers.

  /// `split`, `std::vector<Part> (const M&)`, returns any number of tasks, at
  /// least one, which workers take as they have room; all results are joined,
  /// see `split_join`. A part may be a `caf::message`. Parts that have not
  /// begun when one fails are not begun. `split` is called one at a time.
  ///
  /// Errors: those of `split_join`, and `errc::policy_failed` if there is
  ///         nothing to do.
  template <class T, class Join, class Split>
  static policy managed_split_join(Join join, Split split, T init = T(),
                                   gather_options options = {},
                                   const policy& over = shared_queue()) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(makes_parts,
                  "libpool: managed_split_join wants a split that returns the "
                  "parts: std::vector<Part> (const M&)");
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

  /// Every worker gets every message; all results are joined, see `split_join`.
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

  /// Asks `n` workers, or all if there are fewer. The first success is the
  /// answer. If all fail: `errc::too_few_answers`, which carries their errors,
  /// see `errors_in`; the error itself if only one was asked.
  static policy first_success(std::size_t n,
                              const policy& over = shared_queue());

  /// Asks one worker, and another one if the first has not answered in time;
  /// the first success is the answer. At most `budget` percent of all messages
  /// are handled twice; none before a hundred are known, if `after` is a
  /// percentile. A worker that answers in time with an error has answered.
  /// Workers are busy until they have answered, also if `over` says otherwise.
  ///
  /// Source: J. Dean, L. A. Barroso, The Tail at Scale, 2013.
  static policy hedged(hedge_delay after, double budget = 5,
                       const policy& over = shared_queue());

  /// Asks `n` workers, or all if there are fewer, and lets all of them do it,
  /// as is meant for replicas that have to agree. When `k` have succeeded the
  /// first result is the answer; if too many fail: `errc::too_few_answers`,
  /// which carries their errors, or the first error where none may fail; if
  /// there are not that many workers: `errc::too_few_workers`.
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

  /// A plan of one's own: how many workers are asked, and when the message is
  /// answered, see `gather_plan`. The answer is made by `join`.
  ///
  /// Errors: also std::invalid_argument for a plan that asks for parts.
  static policy gathered(std::unique_ptr<gather_plan> plan,
                         std::unique_ptr<joiner> join,
                         const policy& over = shared_queue());

  /// A plan of one's own, with results folded into a T, see `split_join`.
  template <class T, class Join>
  static policy gathered(std::unique_ptr<gather_plan> plan, Join join,
                         T init = T(), const policy& over = shared_queue()) {
    return gathered(std::move(plan),
                    detail::make_joiner<T>(std::move(join), std::move(init)),
                    over);
  }

  /// A plan of one's own that asks for parts, see `managed_split_join`.
  template <class T, class Join, class Split>
  static policy gathered_parts(std::unique_ptr<gather_plan> plan, Join join,
                               Split split, T init = T(),
                               const policy& over = shared_queue()) {
    constexpr auto makes_parts = detail::makes_parts<Split>;
    static_assert(makes_parts,
                  "libpool: gathered_parts wants a split that returns the "
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

  /// A pool with the policy `over` whose workers are nodes: agents that have
  /// joined it, see `join_pool`. Contents of messages travel as bytes, made
  /// when a message is accepted. What a lost node had fails with
  /// `errc::node_lost`, or runs again, where `over` has `retry`, when the node
  /// begins nothing more. Where `when_empty` is `end`, as is the default, the
  /// pool waits for nodes all the same.
  ///
  /// Errors: a message whose content cannot be written is refused with
  ///         `errc::not_serializable`; one that a node, or here its answer,
  ///         cannot be read gets `errc::unreadable`.
  ///         std::invalid_argument for a policy that is not managed, or options
  ///         out of bounds.
  static policy distributed(node_options how = {},
                            const policy& over = shared_queue());

  // -- making pools -----------------------------------------------------------

  /// Makes a pool without workers. `where` is an actor system.
  static caf::actor make(home where, policy how, pool_options options = {});

  /// Makes a pool of `n` workers that `fac` makes, each time another one. It
  /// may return handles of typed actors.
  static caf::actor make(home where, std::size_t n, const factory& fac,
                         policy how, pool_options options = {});

  template <class F, class = std::enable_if_t<detail::is_other_factory<F>>>
  static caf::actor make(home where, std::size_t n, F fac, policy how,
                         pool_options options = {}) {
    return make(where, n, detail::factory_of(std::move(fac)), std::move(how),
                std::move(options));
  }

  // -- asking and telling pools -----------------------------------------------

  /// The state and the counts of the pool behind `handle`;
  /// std::invalid_argument if there is no pool of this kind behind it.
  static pool_stats stats(const caf::actor& handle);

  /// The same without `members`, for what looks often. Of more than 64 tasks in
  /// mailboxes those that were sent later count as sent when they run.
  ///
  /// Cost: O(flows); does not grow with the workers.
  static pool_stats summary(const caf::actor& handle);

  /// Has the managed pool behind `handle` record the runs of its handlers, from
  /// now on, in place of what it has recorded so far; off if `last` is zero, as
  /// it is to begin with. Times are needed: `measure_times`.
  /// std::invalid_argument if no managed pool is behind `handle`.
  ///
  /// Cost: some 50 ns for each task; 88 bytes, and the trace, for each run that
  ///       is kept.
  static void record(const caf::actor& handle, const recorder_limits& within);

  /// The recorded runs that ended at `since` or later, and those that go on,
  /// with the tasks that wait; see `timeline_of`, which makes a timeline of
  /// them, to be drawn or to be written as a trace.
  ///
  /// Cost: O(runs that are kept, tasks that are open, workers), to the thread
  ///       that handles the pool's messages: some milliseconds where all are
  ///       many.
  static recording recorded(const caf::actor& handle, instant since = {});

  /// Has the managed pool behind `handle` have `n` workers, by its factory; the
  /// newest leave first, after the tasks that they have begun. The message
  /// ('SYS', 'RESIZE', n) does this as well, and as a request is answered when
  /// they have left. std::invalid_argument if no managed pool is behind
  /// `handle`, or n is 0.
  static void resize(const caf::actor& handle, std::size_t n);

  /// Has the managed pool behind `handle` take no more (`errc::pool_closed`),
  /// and end with its workers when all its tasks are settled. The message
  /// ('SYS', 'DRAIN') does this as well, and as a request is answered then.
  /// std::invalid_argument if no managed pool is behind `handle`.
  static void drain(const caf::actor& handle);

  // `stats`, `resize` and `drain` of pools whose handles are typed, see
  // `spawn_typed_pool`.

  template <class... Signatures>
  static pool_stats stats(const caf::typed_actor<Signatures...>& handle) {
    return stats(caf::actor_cast<caf::actor>(handle));
  }

  template <class... Signatures>
  static pool_stats summary(const caf::typed_actor<Signatures...>& handle) {
    return summary(caf::actor_cast<caf::actor>(handle));
  }

  template <class... Signatures>
  static void resize(const caf::typed_actor<Signatures...>& handle,
                     std::size_t n) {
    resize(caf::actor_cast<caf::actor>(handle), n);
  }

  template <class... Signatures>
  static void drain(const caf::typed_actor<Signatures...>& handle) {
    drain(caf::actor_cast<caf::actor>(handle));
  }

  // -- giving pools away ------------------------------------------------------

  /// A handle by which others can give work to the pool, or pipeline, behind
  /// `pool`, and do nothing else to it: for actors of other nodes, say. What a
  /// client sends goes on to the pool and is answered as ever. Messages that
  /// pools and actors handle by themselves do not (SYS requests, exits and
  /// downs, errors, streams): requests are answered with `errc::not_work`,
  /// others dropped. Links and monitors see this handle, not the pool.
  ///
  /// All answers come from this handle: a client never sees a worker, unless
  /// one sends its own handle. The sender that workers see takes answers, and
  /// no requests.
  ///
  /// It ends with its pool, or by `close`: requests that are under way are
  /// answered with `errc::pool_closed`. Exit messages do not end it. It keeps
  /// the pool as any handle does.
  ///
  /// Cost:   an actor for each message that has a sender.
  /// Errors: std::invalid_argument if neither a pool nor a pipeline of this
  ///         node is behind `pool`.
  static caf::actor submit_only(const caf::actor& pool);

  template <class... Signatures>
  static caf::typed_actor<Signatures...>
  submit_only(const caf::typed_actor<Signatures...>& pool) {
    return caf::actor_cast<caf::typed_actor<Signatures...>>(
      submit_only(caf::actor_cast<caf::actor>(pool)));
  }

  /// How many messages have passed a handle that `submit_only` has made, and
  /// how many have not; std::invalid_argument if it is another one.
  static submissions submissions_of(const caf::actor& handle);

  template <class... Signatures>
  static submissions
  submissions_of(const caf::typed_actor<Signatures...>& handle) {
    return submissions_of(caf::actor_cast<caf::actor>(handle));
  }

  /// Ends a handle that `submit_only` has made; std::invalid_argument if it is
  /// another one. The pool goes on.
  static void close(const caf::actor& handle);

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
