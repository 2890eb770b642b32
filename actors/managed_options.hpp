#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/restarts.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace libpool {

/// Value of `managed_options::on_crash`: a task that crashes its worker fails.
struct fail {};

/// Value of `managed_options::on_crash`: a task that crashes its worker runs
/// again on another worker. Handlers must be idempotent.
struct retry {
  /// Maximum number of retries; at least 1.
  unsigned times = 1;
};

/// Workers that may handle a message. Workers are identified by their numbers
/// in the pool: from 0, in the order in which workers joined.
struct worker_choice {
  /// Numbers of the workers.
  std::vector<std::size_t> workers;
  /// Whether other workers may also handle the message: with lazy assignment if
  /// no worker of `workers` has room, with eager assignment if no worker of
  /// `workers` is in the pool.
  bool loose = false;
};

/// Event at which a task ends and its worker has room again. `handler`: the
/// handler returns, even if the handler has made a response promise or
/// delegated the request. `answer`: the request is answered.
enum class busy_until : std::uint8_t { handler, answer };

/// Reaction of a pool to the end of its last worker, if no other worker
/// replaces it. `end`: the pool ends, as with CAF. `wait`: the pool waits for
/// workers; if the last handle of the pool is released meanwhile, waiting tasks
/// fail with `errc::no_workers`, and the pool ends. `refuse`: new messages are
/// refused and waiting tasks fail with `errc::no_workers`.
enum class when_empty : std::uint8_t { end, wait, refuse };

/// Description of a settled task, as passed to `managed_options::on_settled`.
struct settled_task {
  /// Number of the task in the order of acceptance, from 1; 0 for a refused
  /// task.
  std::uint64_t number = 0;
  /// Outcome of the task.
  outcome how = outcome::completed;
  /// Reason why the task failed, was cancelled or was refused; empty if the
  /// task completed.
  caf::error reason;
  /// Client that waits for the answer; nullptr for an asynchronous message.
  caf::strong_actor_ptr client;
  /// Message id. The id of an asynchronous message has no request number.
  caf::message_id id;
  /// Last worker to which the task was sent; a null handle if the task was not
  /// sent to a worker.
  caf::actor worker;
  /// Number of the last worker of the task, as in `member_stats::number`; unset
  /// if the task had no worker.
  std::optional<std::uint64_t> worker_number = std::nullopt;
  /// Name of the node if the last worker of the task is a node; otherwise
  /// empty.
  std::string node;
  /// Name of the flow of the task; empty unless the order uses flows.
  std::string flow;
  /// Types of the elements of the message, such as "int32_t, std::string"; with
  /// `kind_of`, the result of `kind_of` in decimal digits.
  std::string kind;
  /// Result of `trace_of` for the message.
  std::string trace;
  /// Time of acceptance; zero if times are not measured.
  instant accepted = never;
  /// Time of the last start; `never` if no handler started.
  instant started = never;
  /// Time of settlement; zero if times are not measured.
  instant settled = never;
  /// Number of times that an idle worker took over the task from another
  /// worker.
  unsigned steals = 0;
  /// Number of workers that have crashed during the task or were lost with the
  /// task. For a completed task, this is the number of retries.
  unsigned crashes = 0;
  /// Whether the handler answered with an error; such a task counts as
  /// completed. Set only if replies are intercepted.
  bool answered_with_error = false;
};

/// Settled task whose handler ran for at least `managed_options::slow_after`.
struct slow_task : settled_task {
  /// Number of slow tasks that were not reported since the previous report.
  std::uint64_t untold = 0;
};

/// Returns a description of the task as text: kind, flow, worker, service time
/// and waiting time.
std::string describe(const slow_task& task);

/// Options of every managed pool. Functions that only some policies use are
/// options of those policies, for example `flow_options`.
struct managed_options {
  /// Number of workers that `spawn_pool` makes; 0: one per thread of the
  /// scheduler.
  std::size_t workers = 0;
  /// Maximum number of workers, for all ways to add workers; at least 1.
  std::size_t most_workers = 65536;
  /// Maximum number of tasks in the mailbox of a worker, including the running
  /// task; at least 1. Unset: 1 for policies with one queue or with stealing,
  /// otherwise 2. Blocking workers always have 1. `fair_queuing` uses
  /// `seats_per_worker` instead.
  std::optional<std::size_t> window = std::nullopt;
  /// Maximum number of waiting tasks: accepted, but not sent to a worker;
  /// unset: unlimited.
  std::optional<std::size_t> capacity = std::nullopt;
  /// Reaction to a message that arrives while `capacity` tasks wait.
  /// `drop_oldest` requires `capacity`.
  overflow on_overflow = overflow::refuse;
  /// Maximum time from acceptance to settlement; above zero; unset: unlimited.
  /// With a deadline, replies to requests are intercepted, so that a late reply
  /// does not reach the client: the worker sees the interceptor as the sender.
  std::optional<duration> deadline = std::nullopt;
  /// Reaction to a task that crashes its worker. With `retry`, messages are
  /// kept until their handlers return, and replies to requests are intercepted.
  std::variant<fail, retry> on_crash = fail{};
  /// Number of crashed workers after which a task fails, even if `on_crash`
  /// allows more retries; 0: no such limit.
  unsigned poison_after = 0;
  /// Event that ends a task. With `answer`, replies to requests are
  /// intercepted.
  libpool::busy_until busy_until = libpool::busy_until::handler;
  /// Limits on the replacement of crashed workers by the factory; default: no
  /// replacement.
  restart_limits restart = {};
  /// Reaction to the end of the last worker, if no other worker replaces it.
  libpool::when_empty when_empty = libpool::when_empty::end;
  /// Whether service and waiting times are measured. Measuring reads the clock
  /// three times for each task, and once for each message that arrives while
  /// all workers are busy. An acceptance time is at most 50 us late.
  bool measure_times = true;
  /// Whether a busy pool may hand several messages together to a worker, as a
  /// lease, if tasks are short and many messages wait. The pool learns of the
  /// ends of these tasks together, after at most 50 us unless one task takes
  /// longer. Leases require lazy assignment in the order of arrival or by
  /// flows, and exclude options that need to see each task, such as `capacity`,
  /// `deadline` or `on_settled`. If a handler does not return, the other
  /// messages of its lease can go to another worker as soon as the lease is
  /// older than 1 ms and any worker ends a task or a lease.
  bool leases = true;
  /// Returns the workers that may handle a message, at least one; std::nullopt:
  /// all workers. Unset: all workers may handle all messages. The function is
  /// called in one thread at a time, and must not wait for the pool; if the
  /// function throws, the message is refused with `errc::policy_failed`. Unless
  /// the choice is `loose`, the message waits for one of the chosen workers,
  /// even if none of these has joined yet, and fails with `errc::worker_down`
  /// when all of these have left. A worker that replaces another worker has a
  /// new number.
  std::function<std::optional<worker_choice>(const message_content&)>
    may_run_on = nullptr;
  /// Called with each settled or refused task, in one thread at a time. Must
  /// not block. Exceptions are ignored.
  std::function<void(const settled_task&)> on_settled = nullptr;
  /// Returns the trace that a message belongs to, such as the `traceparent` of
  /// W3C's Trace Context. The pool does not interpret the trace, and passes the
  /// trace on to `settled_task` and to recordings. The function is called in
  /// one thread at a time; if the function throws, the message is refused with
  /// `errc::policy_failed`.
  std::function<std::string(const message_content&)> trace_of = nullptr;
  /// Service time from which a task is slow; above 0; unset: no task is slow.
  /// Slow tasks are reported when they are settled: to `on_slow`, and as a
  /// warning in the log of CAF, if CAF was built with a log. At most one task
  /// per second is reported. A task that never ends is reported only if it has
  /// a deadline; see also `pool_stats::longest_running`. Requires
  /// `measure_times`.
  std::optional<duration> slow_after = std::nullopt;
  /// Called with each reported slow task, in one thread at a time. Must not
  /// block. Exceptions are ignored. Requires `slow_after`.
  std::function<void(const slow_task&)> on_slow = nullptr;
  /// Actor name of the pool.
  std::string name = "libpool::managed_pool";
};

/// Throws std::invalid_argument if an option is out of bounds; the text names
/// the option.
void check(const managed_options& options);

} // namespace libpool
