#pragma once

#include "libpool/core/splitmix64.hpp"
#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace test {

/// Parameters of a pool with several nodes and random faults. A seed determines
/// the course of events.
struct farm_setting {
  std::size_t nodes = 3;
  std::size_t tasks = 24;
  unsigned retries = 0;
  /// Number of faults. A line drops all messages in one direction or in both,
  /// for a time; the line of the first node, for good. A line drops some
  /// messages for a time, or is blocked for a time. A node or the pool is
  /// suspended. The program of a node ends, and another one starts. A node
  /// leaves, is expelled, or sends a message in the session of another node.
  unsigned faults = 8;
  /// On average, one of this many messages is lost without a fault.
  std::size_t losses = 300;
  /// Each time that the pool acts, on average one of this many tasks at nodes
  /// is not wanted any more.
  std::size_t unwanted = 200;
  /// On average, one of this many tasks cannot be read by its node.
  std::size_t unread = 10;
  /// Maximum size of a content in bytes. The credit of a node is 4096 bytes.
  std::size_t largest = 1'000;

  // -- deliberate mistakes, which the checks must find ------------------------

  /// The pool lets another node run a task before the lease of its node has
  /// ended.
  bool does_not_wait = false;
  /// The node begins tasks even if its lease has run out.
  bool ignores_lease = false;
  /// The pool assumes that a task that is not wanted any more has come back at
  /// once.
  bool takes_back_unasked = false;
  /// The pool forgets a task that is given back.
  bool loses_what_comes_back = false;
  /// The pool answers the beats of sessions that have ended.
  bool resumes_what_has_ended = false;
  /// A pool that was suspended handles the time as if it had not been
  /// suspended.
  bool does_not_listen = false;
  /// An owner handles a message of a stream again if it arrives again.
  bool delivers_again = false;
  /// The pool does not check the connection of a message.
  bool trusts_all_nodes = false;
};

/// The real state machines of a pool and its nodes, with simulated lines and
/// clocks.
///
/// The messages of one connection in one direction keep their order, take any
/// time, and can be lost. Messages of different connections arrive in any
/// order.
class node_farm {
public:
  node_farm(const farm_setting& how, std::uint64_t seed);

  /// Runs until each task has an outcome, or a check fails. Returns the failed
  /// check; empty if none failed.
  std::string run();

  /// Returns counts of outcomes and of other events, by their names.
  const std::map<std::string, std::uint64_t>& seen() const noexcept {
    return seen_;
  }

private:
  using number = libpool::task_number;
  using session = libpool::worker_number;
  using connection = libpool::connection_number;

  /// A message batch that an owner sends, and may have to send again.
  template <class Batch>
  struct parcel {
    Batch batch;
    std::size_t bytes = 0;
    bool is_repeated = false;
  };

  template <class Batch>
  struct under_way {
    connection by{};
    libpool::instant arrives;
    libpool::stream_mark mark;
    parcel<Batch> what;
  };

  /// One direction of a line.
  template <class Batch>
  struct way {
    libpool::instant cut_until{};
    libpool::instant blocked_until{};
    std::deque<under_way<Batch>> messages;
  };

  template <class Batch>
  using stream_of = libpool::session_stream<parcel<Batch>>;

  /// A client's task.
  struct work {
    unsigned runs = 0;
    unsigned tries = 0;
    unsigned outcomes = 0;
    bool is_with_pool = true;
    bool is_wanted = true;
  };

  /// One attempt at a client's task.
  struct attempt {
    std::size_t of = 0;
    session to{};
    std::size_t bytes = 0;
    bool is_out = true;
    bool begins_no_more = false;
    bool has_begun = false;
    bool is_told = false; // whether the result has arrived
    std::optional<libpool::ending> ended;
  };

  struct node {
    std::unique_ptr<libpool::agent_connection> machine;
    connection by{};
    stream_of<libpool::batch_to_pool> stream;
    libpool::instant connects = libpool::never;
    libpool::instant hears_down = libpool::never; // notice of a cut line
    libpool::instant hears_up = libpool::never;
    libpool::instant stands_until{};
    libpool::instant lossy_until{}; // until then, its line loses messages
    way<libpool::batch_to_pool> up;
    way<libpool::batch_to_node> down;
    std::map<number, libpool::instant> running; // with the end of each task
    std::set<number> contents;
  };

  bool draw(std::size_t one_in);
  libpool::duration draw_time(libpool::duration most);

  void step();
  void pass_time();
  void pool_acts(node& at);
  void node_acts(node& at);
  void connect_or_interrupt(node& at);

  void have_fault();
  void cut(node& at);
  void start_program(node& at);
  void expel();
  void forge(node& by);

  template <class Batch>
  void send(way<Batch>& by, const node& at, const libpool::stream_mark& mark,
            parcel<Batch> what);
  template <class Batch>
  void send_on(stream_of<Batch>& stream, way<Batch>& by, const node& at,
               parcel<Batch> what);
  template <class Batch>
  void resend(stream_of<Batch>& stream, way<Batch>& by, const node& at);
  template <class Batch>
  bool must_handle(stream_of<Batch>& stream, const libpool::stream_mark& mark,
                   session of, bool is_next) const;

  void pool_reads(std::deque<under_way<libpool::batch_to_pool>>& from);
  void pool_hears(const under_way<libpool::batch_to_pool>& next);
  void tell_pool(connection by, const libpool::batch_to_pool& batch,
                 std::size_t bytes);
  void note_results(const libpool::batch_to_pool& batch);
  bool serves(session which) const;
  void pool_ticks();
  void node_hears(node& at, const under_way<libpool::batch_to_node>& next);
  node* node_by(connection by);

  void place();
  void cancel_some();
  void carry_out();
  void deliver(libpool::node_connections::deliver& what);
  void release(const libpool::node_connections::release& told);
  void come_back(attempt& last);
  void check_release(const attempt& of, libpool::node_connections::fate how);
  void collect(node& at);
  void begin_tasks(node& at);
  void end_tasks(node& at);
  std::string wrong() const;
  bool is_over() const;

  farm_setting how_;
  libpool::splitmix64 random_;
  libpool::instant now_;
  libpool::node_connections pool_;
  libpool::instant pool_stands_until_{};
  std::vector<node> nodes_;
  std::map<connection, stream_of<libpool::batch_to_node>> streams_;
  /// Messages of programs that have ended, by connection.
  std::map<connection, std::deque<under_way<libpool::batch_to_pool>>> late_;
  std::uint64_t connections_ = 0;
  std::uint64_t programs_ = 0;
  std::uint64_t attempts_ = 0;
  std::vector<work> works_;
  std::map<number, attempt> tries_;
  std::map<session, std::size_t> windows_; // of nodes that serve
  std::map<session, std::size_t> in_flight_;
  std::set<session> resumed_;

  /// `listened_` is the time for which the pool has listened so far, and
  /// `stood_` the duration of its current suspension. `heard_` is the value of
  /// `listened_` at the last message of each session.
  libpool::duration listened_{0};
  libpool::duration stood_{0};
  std::map<session, libpool::duration> heard_;

  bool hears_bye_ = false; // whether the pool handles a bye now
  std::map<std::string, std::uint64_t> seen_;
  std::string broken_;
};

} // namespace test
