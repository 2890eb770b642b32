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

/// A task whose handler crashed its worker fails.
struct fail {};

/// A task whose handler crashed its worker runs again, on another one, up to so
/// many times. Its handler should not mind.
struct retry {
  unsigned times = 1;
};

/// Workers of a pool, counted from 0 as they joined.
struct worker_choice {
  std::vector<std::size_t> workers;
  /// Whether this is a wish: with none of them there, any will do.
  bool loose = false;
};

/// When a worker has ended a task: when its handler returns, even if it has
/// promised an answer or delegated the request, or when it has answered.
enum class busy_until : std::uint8_t { handler, answer };

/// The reaction of a pool to the death of its last worker, if none replaces it:
/// it ends, as with CAF, waits for workers to be added, or goes on without:
/// then messages are refused, and tasks that wait fail, with
/// `errc::no_workers`.
enum class when_empty : std::uint8_t { end, wait, refuse };

/// The fate of a task.
struct settled_task {
  /// Ascending in the order of acceptance, from 1; 0 for a refused task.
  std::uint64_t number = 0;
  outcome how = outcome::completed;
  /// Why, unless it is completed.
  caf::error reason;
  /// The client; nullptr for an asynchronous message.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// The worker that had it last, if any: itself, its number in `pool_stats`,
  /// and the name of the node if it is one.
  caf::actor worker;
  std::optional<std::uint64_t> worker_number = std::nullopt;
  std::string node;
  /// The name of its flow, where the order goes by flows.
  std::string flow;
  /// The types of its message, such as "int32_t, std::string"; the number that
  /// `kind_of` has given it, if there is that.
  std::string kind;
  /// What `trace_of` has said.
  std::string trace;
  /// When it was accepted, started for the last time, and settled; the last two
  /// are `never` if it was not. All zero where times are not measured.
  instant accepted = never;
  instant started = never;
  instant settled = never;
  /// How often it was taken over by another worker before it was sent.
  unsigned steals = 0;
  /// How many workers it has crashed, or was lost with; so often it has run
  /// again, if it is completed.
  unsigned crashes = 0;
  /// Whether its handler has answered with an error, and so completed: known
  /// where replies are intercepted.
  bool answered_with_error = false;
};

/// A task whose handler has run for long.
struct slow_task : settled_task {
  /// How many others have been slow since the last one that was told.
  std::uint64_t untold = 0;
};

/// The task in words: its kind and flow, its worker, how long it has waited and
/// run.
std::string describe(const slow_task& task);

/// The options of every managed pool. Functions that only some policies ask for
/// are in the options of these policies, see `flow_options` and so on.
struct managed_options {
  /// How many workers `spawn_pool` makes; 0: one per thread of the scheduler.
  std::size_t workers = 0;
  /// More of them are never made, by whom or what it may be asked for.
  std::size_t most_workers = 65536;
  /// Tasks in the mailbox of a worker, the running one included; none: as the
  /// policy has it, which is 1 where tasks are bound late, otherwise 2.
  /// Blocking workers always have one.
  std::optional<std::size_t> window = std::nullopt;
  /// Of tasks that wait; none means no limit.
  std::optional<std::size_t> capacity = std::nullopt;
  /// What happens to a task that finds the pool full.
  overflow on_overflow = overflow::refuse;
  /// From acceptance to settlement. Replies to requests are intercepted then,
  /// so that a late one does not reach the client: the worker sees the
  /// interceptor as the sender.
  std::optional<duration> deadline = std::nullopt;
  /// What happens to a task that crashes its worker. With `retry`, messages
  /// are kept until their handlers return, and replies to requests are
  /// intercepted.
  std::variant<fail, retry> on_crash = fail{};
  /// Crashed workers after which a task fails whatever `on_crash` says; 0: no
  /// limit of that kind.
  unsigned poison_after = 0;
  /// With `answer`, replies to requests are intercepted.
  libpool::busy_until busy_until = libpool::busy_until::handler;
  /// How often crashed workers are replaced, by workers of the factory.
  restart_limits restart = {};
  libpool::when_empty when_empty = libpool::when_empty::end;
  /// Whether service and waiting times are measured: three looks at the clock
  /// for each task, and one for each message that comes while all workers are
  /// busy. The time of acceptance is late by at most 50 us, whatever workers
  /// do.
  bool measure_times = true;
  /// Whether a busy pool hands workers several messages at a time, a lease,
  /// where tasks are short and many wait. The pool hears of their ends
  /// together, after 50 us at most unless one task takes longer. Leases need
  /// lazy assignment in the order of arrival or by flows, and no other option
  /// that needs to see each task. If a handler does not return, messages of its
  /// lease that another worker could handle wait for 1 ms at most, and until
  /// any worker ends a task or a lease.
  bool leases = true;
  /// The workers that may handle a message; none: all. At least one. Called in
  /// one thread at a time, must not wait for the pool, and refuses the message
  /// with `errc::policy_failed` by throwing. Unless it is a wish, it waits for
  /// one of them, also for workers that are still to join; it fails with
  /// `errc::worker_down` once all of them have left. A worker that replaces
  /// another one has a number of its own.
  std::function<std::optional<worker_choice>(const message_content&)>
    may_run_on = nullptr;
  /// Called with each task that is settled, refused ones included, in one
  /// thread at a time. Must not block; what it throws is dropped.
  std::function<void(const settled_task&)> on_settled = nullptr;
  /// The trace that a message belongs to, such as the `traceparent` of W3C's
  /// Trace Context: opaque to the pool, which passes it on to `settled_task`
  /// and to recordings. Called in one thread at a time; what it throws refuses
  /// the message with `errc::policy_failed`.
  std::function<std::string(const message_content&)> trace_of = nullptr;
  /// A task that has run for so long when it is settled is told: to `on_slow`,
  /// and as a warning to CAF's log, where CAF was built with one. At most one
  /// task in a second. One that never ends is not told, but for its deadline:
  /// see `pool_stats::longest_running`.
  std::optional<duration> slow_after = std::nullopt;
  /// Called as `on_settled` is.
  std::function<void(const slow_task&)> on_slow = nullptr;
  /// Of the pool, as an actor.
  std::string name = "libpool::managed_pool";
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const managed_options& options);

} // namespace libpool
