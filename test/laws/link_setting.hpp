#pragma once

#include "libpool/core/instant.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace test {

/// Parameters of a pool with nodes, and of the events that may happen to them.
struct link_setting {
  /// Duration of a quarter of a lease. It is longer than any pause between
  /// hellos, so that a hello can follow in each quarter.
  static constexpr libpool::duration quarter = std::chrono::seconds{10};
  /// Lease of a node, in quarters.
  static constexpr int lease = 4;
  /// Maximum bytes of contents in flight to a node, and back, with `largest`.
  static constexpr std::size_t credit = 4096;
  /// Maximum number of connections. With `forgets_nodes`, higher numbers are
  /// used.
  static constexpr std::uint64_t most_connections = 100;

  std::size_t tasks = 1;
  unsigned retries = 0;
  /// Maximum number of messages that are lost.
  unsigned drops = 1;
  /// Maximum number of interruptions of lines. An interruption loses all
  /// messages in flight, and all messages that are sent meanwhile.
  unsigned cuts = 0;
  /// Maximum number of messages that a node sends in the session of the next
  /// node.
  unsigned forgeries = 0;
  /// Maximum number of nodes that the pool expels.
  unsigned expelled = 0;
  /// Maximum number of nodes that leave.
  unsigned leaving = 0;
  /// Maximum number of programs of nodes that end, and start again.
  unsigned restarts = 0;
  /// Maximum number of times that the front, which is the program with the
  /// pool, stands still. Its messages and nodes wait meanwhile.
  unsigned pauses = 0;
  /// Maximum number of fronts that begin after the first one, while the front
  /// before ends or stands still. All fronts use the same numbers for their
  /// sessions and tasks.
  unsigned fronts = 0;
  /// Whether fronts that are followed by others end, and do not stand still.
  bool all_end = false;
  /// Maximum number of tasks whose clients stop waiting.
  unsigned unwanted = 0;
  /// Maximum number of times that the pool wants a task back.
  unsigned recalls = 0;
  /// Maximum number of tasks that a node cannot read.
  unsigned unread = 0;
  /// Number of parts of a quarter of a lease; the clock moves on by one part.
  int parts = 1;
  /// Number of parts that pass.
  int until = 4;
  /// Maximum number of messages in a channel.
  std::size_t room = 3;
  std::size_t nodes = 2;
  /// Maximum number of tasks or results in a message. If it is 1, no message
  /// waits for others.
  std::size_t portion = 1;
  /// Number of tasks that a node runs at the same time.
  std::size_t slots = 1;
  /// Maximum size of a content in bytes; 0: contents and results are empty.
  std::size_t largest = 0;
  /// Whether all nodes have one address, as the fronts of a pool have for a
  /// client: each hears the messages to all, and the last one has the highest
  /// turn.
  bool one_address = false;

  /// Whether nodes send demands, which state long tasks. Then the pool asks
  /// nodes to give tasks back.
  bool shares = false;

  /// Whether the tasks come from a durable queue, which gives a task to the
  /// latest front, and again if the front before ends or stands still. Then
  /// `retries` counts how often a task runs again after the loss of a front.
  bool queue = false;
  /// Number of quarters for which a front waits for nodes that have begun tasks
  /// of the queue.
  int adopts = lease;
  /// Whether the queue gives the first task once more to the front that has it.
  bool repeats = false;

  // -- deliberate mistakes, which the search must find ------------------------

  /// The pool retries tasks as soon as their node is expelled.
  bool does_not_wait = false;
  /// The node takes its lease for three quarters longer.
  bool takes_lease_for_longer = false;
  /// The node begins tasks even if its lease has run out.
  bool ignores_lease = false;
  /// The pool takes each hello for that of a new node.
  bool forgets_nodes = false;
  /// The pool sends tasks before the node is ready.
  bool admits_at_once = false;
  /// The pool answers the beats of sessions that have ended.
  bool resumes_what_has_ended = false;
  /// The pool does not check the connection of a message.
  bool trusts_all_nodes = false;
  /// The pool assumes that a task that is not wanted any more has come back at
  /// once.
  bool takes_back_unasked = false;
  /// The pool forgets a task that is given back.
  bool loses_what_comes_back = false;
  /// An end handles a message of a stream again if it arrives again.
  bool delivers_again = false;
  /// The bye of a node is sent only once, even if it is lost.
  bool says_bye_once = false;
  /// A node handles tasks of all fronts as tasks of its session.
  bool node_ignores_epochs = false;
  /// A node ends its session when any front says that the session has ended.
  bool obeys_all_fronts = false;
  /// A node joins an older front although the newer front answers.
  bool takes_all_welcomes = false;
  /// A node takes the welcome of another node of its address for its own.
  bool takes_welcomes_of_others = false;
  /// A node asks no handler to stop.
  bool ignores_stops = false;
  /// A front handles messages for all fronts as its own.
  bool front_ignores_epochs = false;
  /// A node sends each result twice.
  bool tells_results_twice = false;
  /// A front that stood still counts this time against the leases of nodes.
  bool forgives_no_pause = false;
  /// A node forgets what it has begun when its session ends.
  bool forgets_begun_tasks = false;
  /// A node forgets a task of the queue when it has sent the result.
  bool forgets_sent_results = false;
  /// A front tells nodes that results are stored when the results arrive.
  bool tells_settled_early = false;
  /// A front runs a task that an earlier front had, without asking nodes.
  bool runs_at_once = false;
  /// A node adopts a task although it has begun the task in the same session.
  bool adopts_own_tasks = false;
};

} // namespace test
