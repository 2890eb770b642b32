#pragma once

#include "libpool/actors/batching.hpp"
#include "libpool/actors/content_function.hpp"
#include "libpool/core/autoscale.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/limits.hpp"
#include "libpool/core/outcome.hpp"
#include "libpool/core/restarts.hpp"
#include "libpool/core/retry_backoff.hpp"
#include "libpool/core/retry_budget.hpp"
#include "libpool/core/shed.hpp"
#include "libpool/core/throttle.hpp"
#include "libpool/export.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

/// Value of the option `managed_options::on_crash` with which a task that
/// crashes its worker fails.
struct fail {};

/// Value of the option `managed_options::on_crash` with which a task that
/// crashes its worker runs again on another worker. Handlers must be
/// idempotent: handling a message twice must have the same effect as handling
/// the message once.
struct retry {
  /// Maximum number of retries of a task; at least 1.
  unsigned times = 1;
};

/// Workers that may handle a message. Workers are identified by their numbers
/// in the pool: from 0, in the order in which workers joined.
struct worker_choice {
  /// Numbers of the workers that may handle the message.
  std::vector<std::size_t> workers;
  /// Whether other workers may also handle the message. With lazy assignment,
  /// which chooses a worker when a worker has room, they may if no worker of
  /// `workers` has room. With eager assignment, which chooses a worker when the
  /// message arrives, they may if no worker of `workers` is in the pool.
  bool loose = false;
};

/// Event at which a task ends, so that its worker has room for another task.
/// `handler`: the handler returns, even if the handler has made a response
/// promise or delegated the request, and the answer comes later. `answer`: the
/// request is answered.
enum class busy_until : std::uint8_t { handler, answer };

/// Messages that a message with the same key joins, see `same_result`.
/// `join_waiting`: one that waits. `join_running`: one that waits or runs.
/// `latest`: one that waits, and then the handler gets the content of the
/// message that came last; while a message of the key runs, no other message of
/// the key begins.
enum class join_mode : std::uint8_t { join_waiting, join_running, latest };

/// Rule by which messages that ask for the same result are handled together:
/// one of them goes to a worker, and its answer is the answer to all.
struct same_result {
  /// Makes a rule without a function: no messages are handled together.
  same_result() noexcept { // NOLINT(modernize-use-equals-default)
    // nop: of the compiler's own, g++ 12 says at -O3 that `key_of` may be
    // unset
  }

  /// Makes a rule of these values, see the members.
  // NOLINTNEXTLINE(google-explicit-constructor): options.same_as = {key}
  same_result(content_function<std::optional<std::string>> key,
              join_mode joined = join_mode::join_running,
              std::size_t limit = 10'000)
    : key_of(std::move(key)), mode(joined), most(limit) {
    // nop
  }

  /// Returns the key of the result that a message asks for; std::nullopt: the
  /// message is handled by itself. `same_by` makes such a function of an
  /// element of the message. Unset: no messages are handled together. The
  /// function is called in one thread at a time; if the function throws, the
  /// message is refused with `errc::policy_failed`.
  content_function<std::optional<std::string>> key_of = nullptr;
  /// Messages that a message joins.
  join_mode mode = join_mode::join_running;
  /// Maximum number of messages that are handled together; at least 1.
  std::size_t most = 10'000;
};

/// Reaction of a pool to the end of its last worker, if the worker is not
/// replaced. `end`: the pool ends. `wait`: the pool waits for new workers; if
/// the last handle of the pool is released meanwhile, waiting tasks fail with
/// `errc::no_workers`, and the pool ends. `refuse`: new messages are refused,
/// and waiting tasks fail with `errc::no_workers`. A waiting task that has
/// crashed a worker before fails with `errc::worker_crashed` instead.
enum class when_empty : std::uint8_t { end, wait, refuse };

/// Description of a settled task, as passed to `managed_options::on_settled`.
struct settled_task {
  /// Number of the task, counted from 1 in the order in which tasks were
  /// accepted; 0 for a refused task.
  std::uint64_t number = 0;
  /// Outcome of the task: completed, failed, cancelled or refused.
  outcome how = outcome::completed;
  /// Reason why the task failed, was cancelled or was refused; empty if the
  /// task completed.
  caf::error reason;
  /// Client that waits for the answer; nullptr for an asynchronous message.
  caf::strong_actor_ptr client;
  /// Id of the message, as given by CAF. The id of a request contains a request
  /// number; the id of an asynchronous message does not.
  caf::message_id id;
  /// Last worker to which the task was sent; a null handle if the task was not
  /// sent to a worker.
  caf::actor worker;
  /// Number of the last worker to which the task was sent, equal to the
  /// worker's `member_stats::number`; unset if the task was not sent to a
  /// worker.
  std::optional<std::uint64_t> worker_number = std::nullopt;
  /// Name of the node to which the task was last sent, if the pool is
  /// distributed; otherwise empty.
  std::string node;
  /// Name of the flow of the task, for example of a tenant or a client; empty
  /// unless the policy divides the time of the workers among flows, as
  /// `fair_queuing` does, or `throttles` or `throttled_by` is set.
  std::string flow;
  /// Kind of the message: the types of its elements, such as "int32_t,
  /// std::string". If the user has set the function `kind_of`, the result of
  /// this function in decimal digits.
  std::string kind;
  /// Trace of the message, as returned by the function
  /// `managed_options::trace_of`; empty if the function is not set.
  std::string trace;
  /// Time at which the pool accepted the task; zero if times are not measured.
  instant accepted = never;
  /// Time at which the handler of the task last started; `never` if no handler
  /// started.
  instant started = never;
  /// Time at which the task was settled; zero if times are not measured.
  instant settled = never;
  /// Number of times that an idle worker took over the task from another
  /// worker.
  unsigned steals = 0;
  /// Number of workers that crashed while they ran the task, or were lost with
  /// their node while they had the task. For a completed task, this is the
  /// number of retries after crashes.
  unsigned crashes = 0;
  /// Number of times that a worker answered with an error and the task was
  /// tried again, see `managed_options::retry_on`.
  unsigned retried_errors = 0;
  /// Whether the handler answered with an error before it returned; such a task
  /// counts as completed. Always false if the pool does not intercept replies,
  /// as options such as `deadline` require.
  bool answered_with_error = false;
  /// Number of the task whose run has settled this one, see
  /// `managed_options::same_as` and `batch`; 0: the task has run itself, or has
  /// not run.
  std::uint64_t joined = 0;
};

/// Settled task whose handler ran for at least `managed_options::slow_after`.
struct slow_task : settled_task {
  /// Number of slow tasks since the previous report that were not reported,
  /// because at most one task per second is reported.
  std::uint64_t untold = 0;
};

/// Returns a description of the task as text: kind, flow, worker, service time
/// and waiting time.
LIBPOOL_EXPORT std::string describe(const slow_task& task);

/// Options of every managed pool. Functions that only some policies use are
/// options of those policies, for example `flow_options`.
struct managed_options {
  /// Number of workers that `spawn_pool` makes; 0: `autoscale::least` if
  /// `autoscale` is set, otherwise one per thread of the scheduler.
  std::size_t workers = 0;
  /// Maximum number of workers of the pool, however they are added; at least 1.
  std::size_t most_workers = 65536;
  /// Maximum number of tasks in the mailbox of a worker, including the running
  /// task; at least 1. Unset: 1. A blocking worker always has at most 1.
  /// `fair_queuing` uses the option `seats_per_worker` instead.
  std::optional<std::size_t> window = std::nullopt;
  /// Maximum number of waiting tasks: accepted, but not sent to a worker;
  /// unset: unlimited.
  std::optional<std::size_t> capacity = std::nullopt;
  /// Limits on the messages that workers have: their number, and the rate at
  /// which they go to workers, for all messages and for each flow, for example
  /// each tenant. A message that a limit holds back waits, and holds up no
  /// message of another flow. `actor_pool::set_limits` replaces the limits.
  /// Rates require lazy assignment. Default: no limits.
  libpool::throttles throttles = {};
  /// Returns the flow of a message for `throttles`, `actor_pool::pause` and
  /// `actor_pool::cancel`. The policy `fair_queuing` uses its own function
  /// `flow_of` instead, and refuses this one. Unset: each sender is a flow. A
  /// pool knows flows if this function or `throttles` is set, or with
  /// `fair_queuing`. The function is called in one thread at a time; if the
  /// function throws, the message is refused with `errc::policy_failed`.
  content_function<flow_key> throttled_by = nullptr;
  /// Reaction to a message that arrives while `capacity` tasks wait.
  /// `drop_oldest` requires `capacity`.
  overflow on_overflow = overflow::refuse;
  /// Maximum time from the acceptance of a task until the task is settled and
  /// the client of a request is answered; above zero; unset: unlimited. A
  /// request whose handler has returned without an answer is answered with
  /// `errc::deadline_exceeded` then, although its task is completed. With a
  /// deadline, an actor of the pool intercepts replies to requests, so that a
  /// late reply does not reach the client. The worker sees this actor as the
  /// sender of the request.
  std::optional<duration> deadline = std::nullopt;
  /// Returns the maximum time from the acceptance of a message until it is
  /// settled and answered, as for `deadline`; std::nullopt: only `deadline`
  /// applies. A message with no time left, zero or less, is cancelled at once.
  /// The earlier of both deadlines counts, also as the order of the policy
  /// `earliest_deadline`. The function is called in one thread at a time; if
  /// the function throws, the message is refused with `errc::policy_failed`.
  /// With this function, the pool intercepts replies to requests.
  content_function<std::optional<duration>> deadline_of = nullptr;
  /// Maximum time from the start of a handler to its end, for each attempt;
  /// above zero; unset: unlimited. When the time has passed, the client is
  /// answered with `errc::time_limit`, the handler is asked to stop (see
  /// `this_task`), and its result is discarded. The task is not retried. Until
  /// the handler returns, its worker gets no tasks; see `stand_ins`. The pool
  /// intercepts replies to requests.
  std::optional<duration> time_limit = std::nullopt;
  /// Whether a waiting message is cancelled with `errc::hopeless` as soon as
  /// the time until its deadline is not above its estimated service time. The
  /// estimate is the result of `estimate_of`, where the policy has this
  /// function, or else a moving average over messages of the same kind.
  /// Requires `deadline` or `deadline_of`. Default: false.
  bool drop_hopeless = false;
  /// Rule by which messages that have waited for long are cancelled with
  /// `errc::overloaded` while the pool, or their flow, is overloaded, see
  /// `load_shedding`; the newest messages go first then. Messages that a user
  /// must not lose are those of exempt flows. Requires `measure_times` and a
  /// policy that sends messages in the order of arrival, or by flows. Unset: no
  /// message is cancelled for that reason.
  std::optional<libpool::shed> shed = std::nullopt;
  /// Reaction to a task that crashes its worker: `fail` or `retry`. With
  /// `retry`, the pool keeps each message until its handler returns, and
  /// intercepts replies to requests.
  std::variant<fail, retry> on_crash = fail{};
  /// Returns the waiting time before the next attempt at a request that a
  /// worker has answered with the error; zero or less: the time that `backoff`
  /// gives; std::nullopt: the request is not tried again. The second argument
  /// is the number of attempts so far, at least 1. The function
  /// `libpool::retry_after` returns the time that an error names.
  ///
  /// The client gets the last answer; `backoff` limits the number of retries.
  /// Handlers must be idempotent. Only errors that come before the task ends
  /// count: for workers that answer later, set `busy_until::answer`. The
  /// function is called in one thread at a time; if the function throws, the
  /// request is not tried again. With this function, the pool keeps each
  /// message until its handler returns, and intercepts replies to requests.
  /// Unset: no request is tried again.
  std::function<std::optional<duration>(const caf::error&, unsigned)> retry_on =
    nullptr;
  /// Waiting times before retries, and the maximum number of retries after
  /// errors. A task whose next attempt would begin after its deadline is not
  /// retried. Requires `on_crash` with `retry`, or `retry_on`. Unset: tasks
  /// that crashed are retried at once; with `retry_on`, the default values of
  /// the members apply.
  std::optional<libpool::retry_backoff> backoff = std::nullopt;
  /// Maximum number of requests that are tried again after errors at the same
  /// time, so that a service that fails gets little more work through retries.
  /// Each flow has its own count with `fair_queuing`, `throttles` or
  /// `throttled_by`; otherwise all requests are counted together. A retry that
  /// the budget refuses counts in `pool_stats::retries_refused`, and the client
  /// gets the error of the worker, whose text then names the budget. Requires
  /// `retry_on`. Unset: each retry that `retry_on` and `backoff` permit
  /// happens.
  std::optional<libpool::retry_budget> retry_budget = std::nullopt;
  /// Maximum number of workers that one task can crash: when the number is
  /// reached, the task fails, even if `on_crash` allows more retries. 0: no
  /// such limit.
  unsigned poison_after = 0;
  /// Event at which a task ends and its worker has room again: the return of
  /// the handler, or the answer to the request. With `answer`, the pool
  /// intercepts replies to requests.
  libpool::busy_until busy_until = libpool::busy_until::handler;
  /// Limits on how often crashed workers are replaced by new workers from the
  /// factory. By default, crashed workers are not replaced.
  restart_limits restart = {};
  /// Maximum number of stand-ins at the same time; default: 0. A stand-in is an
  /// additional worker that the factory makes while a worker is stuck: a
  /// handler runs past its deadline or time limit, or the worker waits for a
  /// request to its own pool that no worker can begin. When a stuck worker goes
  /// on, one idle worker is stopped, first one that was stuck. `most_workers`
  /// is an upper bound on all workers; a pool without a factory makes no
  /// stand-ins. If no stand-in can be made, a request that no worker can begin
  /// is answered with `errc::cycle`. The pool notices requests that workers
  /// send themselves, also through a handle of `actor_pool::submit_only`: those
  /// of blocking workers and, with `busy_until::answer`, of all workers.
  std::size_t stand_ins = 0;
  /// Bounds and targets with which the pool chooses its number of workers
  /// itself, see `libpool::autoscaler`: the factory makes workers, and idle
  /// ones are retired. The pool begins with the given number of workers, or
  /// with `least` if `workers` is 0. `actor_pool::resize` sets a number within
  /// the bounds, from which the pool goes on. A pool without a factory, such as
  /// a distributed one, only shows how many workers it wants
  /// (`pool_stats::wanted`), for programs that start nodes. Requires
  /// `measure_times`. Unset: only users change the number.
  std::optional<libpool::autoscale> autoscale = std::nullopt;
  /// Reaction of the pool to the end of its last worker, if the worker is not
  /// replaced.
  libpool::when_empty when_empty = libpool::when_empty::end;
  /// Whether service and waiting times are measured. Measuring reads the clock
  /// three times for each task, and once for each message that arrives while
  /// all workers are busy. An acceptance time is at most 50 us late. A pool
  /// that measures no times gives no leases.
  bool measure_times = true;
  /// Whether the pool may send several tasks to a worker together, as a lease,
  /// while tasks are short and many wait. The tasks of a lease are those that
  /// the policy would send next, in their order. The pool learns of the ends of
  /// these tasks together, after at most 50 us unless one task takes longer. If
  /// a lease takes longer than 1 ms, the pool takes back the tasks that have
  /// not begun, when a message arrives or any worker ends a task.
  ///
  /// Workers with a `window` above 1 or several seats, blocking workers, pools
  /// and nodes get no leases; see docs/policies.md for the other exceptions.
  bool leases = true;
  /// Rule by which messages go to workers in batches, made by `batch_of`.
  /// Messages of the same flow, priority, home and restriction share a batch,
  /// in the order of arrival. Each message is still a task: settled, cancelled
  /// and answered alone. Its worker sees one request with all messages of the
  /// batch, and `this_task` of the first one. With this option, workers are
  /// busy until they have answered, as with `busy_until::answer`.
  ///
  /// A batch that crashes its worker runs again in two halves with `on_crash`
  /// of `retry`, until the message that crashes workers is alone; without
  /// `retry`, all its messages fail. An error is the answer to each message. An
  /// answer that is not one result for each message is answered with
  /// `errc::policy_failed` to each of them.
  ///
  /// Distributed pools, policies with several tasks for each message and pools
  /// with `same_as` refuse this option. Unset: each message goes alone.
  std::optional<libpool::batching> batch = std::nullopt;
  /// Returns the workers that may handle a message, at least one; std::nullopt:
  /// all workers. Unset: all workers may handle all messages. The function is
  /// called in one thread at a time, and must not wait for the pool; if the
  /// function throws, the message is refused with `errc::policy_failed`.
  ///
  /// If `worker_choice::loose` is false, the message waits for one of the
  /// chosen workers, even if none of these has joined yet. The message fails
  /// with `errc::worker_down` when all of these have left. A worker that
  /// replaces another worker has a new number.
  content_function<std::optional<worker_choice>> may_run_on = nullptr;
  /// Rule by which messages that ask for the same result are handled together,
  /// as by Go's singleflight. Each of them is accepted, numbered, answered and
  /// settled. A deadline or a cancellation of one of them leaves the others
  /// alone. Messages that a worker of the pool sends to the pool, and waits
  /// for, are handled by themselves. With this option, workers are busy until
  /// they have answered, as with `busy_until::answer`, and a worker gets an
  /// asynchronous message with a key as a request. A policy that asks several
  /// workers refuses this option. Default: each message is handled by itself.
  same_result same_as = {};
  /// Called with each settled or refused task, in one thread at a time. Must
  /// not block. Exceptions are ignored.
  std::function<void(const settled_task&)> on_settled = nullptr;
  /// Returns the trace of a message: the name of the request of a larger system
  /// that the message belongs to, such as the `traceparent` of W3C's Trace
  /// Context. The pool passes the trace on to `settled_task` and to recordings,
  /// unchanged. The function is called in one thread at a time; if the
  /// function throws, the message is refused with `errc::policy_failed`.
  content_function<std::string> trace_of = nullptr;
  /// Returns the id of a message, by which it can be cancelled, see
  /// `actor_pool::cancel`. All messages with the same id are cancelled
  /// together. The function is called in one thread at a time: once for each
  /// message, and again for messages that several tasks handle when messages
  /// are cancelled by an id. The function must not call the pool; if it throws,
  /// the message is refused with `errc::policy_failed`.
  content_function<flow_key> id_of = nullptr;
  /// Service time at or above which a task counts as slow; above 0; unset: no
  /// task is slow. Requires `measure_times`. A slow task is reported when it is
  /// settled: to the function `on_slow`, and as a warning in the log of CAF, if
  /// CAF was built with a log. At most one task per second is reported. A task
  /// that never ends is reported only if the task has a deadline; see also
  /// `pool_stats::longest_running`.
  std::optional<duration> slow_after = std::nullopt;
  /// Called with each reported slow task, in one thread at a time. Must not
  /// block. Exceptions are ignored. Requires `slow_after`.
  std::function<void(const slow_task&)> on_slow = nullptr;
  /// Actor name of the pool.
  std::string name = "libpool::managed_pool";
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
LIBPOOL_EXPORT void check(const managed_options& options);

} // namespace libpool
