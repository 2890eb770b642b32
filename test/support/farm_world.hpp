#pragma once

#include "libpool/core/splitmix64.hpp"
#include "libpool/nodes/agent_connection.hpp"
#include "libpool/nodes/node_connections.hpp"
#include "libpool/nodes/session_stream.hpp"

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

/// A pool with several nodes, and what happens to them, all drawn from a seed.
struct farm_setting {
  std::size_t nodes = 3;
  std::size_t tasks = 24;
  unsigned retries = 0;
  /// Number of faults: a line drops all messages for a time, or that of the
  /// first node for good, in one direction or both, or some of them, or passes
  /// none; a node or the pool stands still; a node's program ends and begins
  /// anew; a node leaves, is sent away, or speaks for another one.
  unsigned faults = 8;
  /// Number of messages of which one is lost, without a fault.
  std::size_t losses = 300;
  /// Number of tasks at nodes of which one is not wanted any more each time
  /// that the pool acts; and of tasks of which one is of a kind that its node
  /// cannot read.
  std::size_t unwanted = 200;
  std::size_t unread = 10;
  /// Maximum bytes of a content; 4096 may be in flight to a node.
  std::size_t largest = 1'000;

  // -- owners of the machines that are wrong ----------------------------------

  /// The pool has others run a task before the lease of its node is over.
  bool does_not_wait = false;
  /// The node begins tasks whatever the time is.
  bool ignores_lease = false;
  /// A task that no client waits for is taken to be back at once.
  bool takes_back_unasked = false;
  /// A task that is given back is forgotten.
  bool loses_what_comes_back = false;
  /// The pool answers the beats of sessions that have ended.
  bool resumes_what_has_ended = false;
  /// A pool that stood still looks at its clock as if it had not.
  bool does_not_listen = false;
  /// A message of a stream that arrives again is handled again.
  bool delivers_again = false;
  /// The pool does not look at the connection of a message.
  bool trusts_all_nodes = false;
};

/// The real machines of a pool and its nodes, with everything between them.
///
/// Messages of one direction of a connection keep their order, take any time,
/// and can be lost; those of different ones come in any order.
class farm_world {
public:
  farm_world(const farm_setting& how, std::uint64_t seed);

  /// Goes on until each task has an outcome. Returns what was wrong; empty if
  /// nothing was.
  std::string run();

  /// The counts of all outcomes.
  struct counts {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t given_back = 0;
    std::uint64_t unread = 0;
    std::uint64_t lost = 0;
    std::uint64_t sessions = 0;
    std::uint64_t resumed = 0; // sessions that got a message that was repeated
    std::uint64_t dropped = 0; // messages
    std::uint64_t strays = 0;
  };

  const counts& seen() const noexcept {
    return seen_;
  }

private:
  using number = libpool::task_number;
  using session = libpool::worker_number;
  using connection = libpool::connection_number;

  /// What an owner sends, and keeps until it is acknowledged.
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

  /// One try of it.
  struct attempt {
    std::size_t of = 0;
    session to{};
    std::size_t bytes = 0;
    bool is_out = true;
    bool begins_no_more = false;
    bool has_begun = false;
    bool is_told = false; // its result
    std::optional<libpool::ending> ended;
  };

  struct node {
    std::unique_ptr<libpool::agent_connection> machine;
    connection by{};
    stream_of<libpool::batch_to_pool> stream;
    libpool::instant connects = libpool::never;
    libpool::instant hears_down = libpool::never; // that the line is
    libpool::instant hears_up = libpool::never;
    libpool::instant stands_until{};
    libpool::instant lossy_until{}; // its line
    way<libpool::batch_to_pool> up;
    way<libpool::batch_to_node> down;
    std::map<number, libpool::instant> running; // until then
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

  /// Time that the pool may have listened for; and until when it had for each
  /// session when it last heard of it.
  libpool::duration listened_{0};
  libpool::duration stood_{0};
  std::map<session, libpool::duration> heard_;

  bool hears_bye_ = false; // the pool, now
  counts seen_;
  std::string broken_;
};

} // namespace test
