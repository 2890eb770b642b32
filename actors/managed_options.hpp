#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/restarts.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/message_id.hpp>
#include <caf/type_erased_tuple.hpp>

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

/// What a pool does whose last worker has died, with nobody to replace it: it
/// ends, as with CAF, or waits for workers to be added.
enum class when_empty : std::uint8_t { end, wait };

/// What has become of a task.
struct settled_task {
  /// Counts the accepted tasks of the pool, from 1; 0 for a refused one.
  std::uint64_t number = 0;
  outcome how = outcome::completed;
  /// Why, unless it is completed.
  caf::error reason;
  /// Who asked; nullptr for an asynchronous message.
  caf::strong_actor_ptr client;
  caf::message_id id;
  /// Who had it last, if anybody.
  caf::actor worker;
  /// When it was accepted, started for the last time, and settled; the last two
  /// are `never` if it was not. All zero where times are not measured.
  instant accepted = never;
  instant started = never;
  instant settled = never;
  /// How often it was taken over by another worker before it was sent.
  unsigned steals = 0;
  /// Whether its handler has answered with an error, and so completed: known
  /// where replies are intercepted.
  bool answered_with_error = false;
};

/// What a managed pool can be told.
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
  /// From acceptance to settlement. Replies to requests are intercepted then, so
  /// that a late one does not reach the client: the worker sees the interceptor
  /// as the sender.
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
  /// How often crashed workers are replaced, by those of the factory.
  restart_limits restart = {};
  libpool::when_empty when_empty = libpool::when_empty::end;
  /// Whether service and waiting times are measured: three looks at the clock
  /// for each task.
  bool measure_times = true;
  /// The priority of a message, the higher goes first, where the order is one
  /// of priority; none: 1 for those of the urgent category, 0 for others. What
  /// it throws refuses the message with `errc::policy_failed`, "priority_of
  /// threw: …". This and the following functions are called in one thread at a
  /// time, and must not wait for the pool.
  std::function<std::int64_t(const caf::type_erased_tuple&)> priority_of =
    nullptr;
  /// The key of a message, if it has one, where the placement is one of keys;
  /// has to be given there.
  /// Messages of one key belong together.
  std::function<std::optional<std::uint64_t>(const caf::type_erased_tuple&)>
    key_of = nullptr;
  /// The flow of a message, where the order goes by flows: none of them gets
  /// more than its share while another one waits. None: its sender's, by the
  /// number that this has as an actor. See `flow_by` for flows that are named
  /// by an element of the message. While all workers are busy with tiny
  /// messages, it is asked when one of them has ended; so is `width_of`.
  std::function<flow_key(const caf::type_erased_tuple&)> flow_of = nullptr;
  /// How many seats a message takes, at least 1, where the order goes by flows;
  /// none: 1. What is wide waits until it has all of them. See `width_by`.
  std::function<std::size_t(const caf::type_erased_tuple&)> width_of = nullptr;
  /// How many messages a worker has at once, by their widths, in place of the
  /// window, where the order goes by flows. Most workers handle one after the
  /// other; more than 1 is for those that answer later, with
  /// `busy_until::answer`. Blocking workers always have one.
  std::size_t seats_per_worker = 1;
  /// What happens to messages that are wider than the seats of all workers.
  libpool::too_wide too_wide = too_wide::clamp;
  /// How many flows `stats` tells of, at most, the longest queues first.
  std::size_t top_flows = 32;
  /// The worker that has the data of a message, if any, counted from 0 as they
  /// joined: it goes there, where messages are bound at once. If that is no
  /// worker, it goes where it would without.
  std::function<std::optional<std::size_t>(const caf::type_erased_tuple&)>
    home_of = nullptr;
  /// The workers that may handle a message; none: all. At least one. Unless it
  /// is a wish, it waits for one of them, also for those that are still to
  /// join; it fails with `errc::worker_down` once all of them have left. A
  /// worker that replaces another one has a number of its own.
  std::function<std::optional<worker_choice>(const caf::type_erased_tuple&)>
    may_run_on = nullptr;
  /// What it takes to have another worker than its home handle it, at least 0,
  /// where workers steal; none: nothing. See `transfer_time`.
  std::function<duration(const caf::type_erased_tuple&)> move_cost = nullptr;
  /// Messages of one kind take about as long, where that is estimated for
  /// stealing; none: those of the same types are of one kind.
  std::function<std::uint64_t(const caf::type_erased_tuple&)> kind_of = nullptr;
  /// How long a message is known to take, if it is, in place of that.
  std::function<std::optional<duration>(const caf::type_erased_tuple&)>
    estimate_of = nullptr;
  /// The weight of a worker that is added, above 0, where the placement goes by
  /// weights; none: all have the same share.
  std::function<duration(const caf::actor&)> weight_of = nullptr;
  /// Called with each task that is settled, refused ones included, in one
  /// thread at a time. Must not block; what it throws is dropped.
  std::function<void(const settled_task&)> on_settled = nullptr;
  /// Of the pool, as an actor.
  std::string name = "libpool::managed_pool";
};

/// Throws std::invalid_argument naming the option that is out of bounds.
void check(const managed_options& options);

} // namespace libpool
