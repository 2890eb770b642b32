#pragma once

#include "libpool/nodes/agent_connection.hpp"
#include "libpool/nodes/node_connections.hpp"
#include "libpool/nodes/session_stream.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace test {

/// A pool, two nodes, and what may happen to the lines between them. Times are
/// in quarters of a lease.
struct link_setting {
  static constexpr std::size_t most_tasks = 3;
  /// Longer than any pause between hellos, so that one may follow in each.
  static constexpr libpool::duration quarter = std::chrono::seconds{10};
  /// Connections of a pool that does not know its nodes are beyond.
  static constexpr std::uint64_t most_connections = 100;

  std::size_t tasks = 1;
  unsigned retries = 0;
  /// Number of messages that are lost, and of interruptions of lines, which
  /// lose all that is in flight and all that is sent meanwhile.
  unsigned drops = 1;
  unsigned cuts = 0;
  /// Number of messages of a node in the session of the other one.
  unsigned forgeries = 0;
  /// Number of nodes that the pool no longer uses, that leave, and whose
  /// programs end and begin anew.
  unsigned expelled = 0;
  unsigned leaving = 0;
  unsigned restarts = 0;
  /// Number of tasks that no client waits for any more.
  unsigned unwanted = 0;
  /// Time after which nothing more has to happen.
  int until = 4;
  /// Number of messages that fit into a channel.
  std::size_t room = 3;
  std::size_t nodes = 2;

  /// Nodes say what they demand, and that their tasks are long, so that the
  /// pool has them give tasks back.
  bool shares = false;

  // -- owners of the machines that are wrong ----------------------------------

  /// The pool has tasks run again as soon as a node is expelled.
  bool does_not_wait = false;
  /// The node counts a lease that is so many quarters longer.
  int longer = 0;
  /// The node does not look at its lease.
  bool ignores_lease = false;
  /// The pool does not know that a hello is of a node that it knows.
  bool forgets_nodes = false;
  /// The pool sends tasks before the node is ready.
  bool admits_at_once = false;
  /// The pool answers the beats of sessions that have ended.
  bool resumes_what_has_ended = false;
  /// The pool does not look at the connection of a message.
  bool trusts_all_nodes = false;
  /// The bye of a node is sent once.
  bool says_bye_once = false;
};

/// One event.
struct link_step {
  enum class kind : std::uint8_t {
    assign,    ///< The pool sends `task` in the session `node`.
    cancel,    ///< No client waits for `task` any more.
    begin,     ///< `node` begins a task.
    complete,  ///< The first handler of `node` ends.
    arrive,    ///< The first message from `node`, or to it, arrives,
    drop,      ///< or is lost.
    cut,       ///< The line of `node` is interrupted.
    notice,    ///< `node` learns that.
    mend,      ///< The line of `node` is whole again.
    connect,   ///< `node` learns that.
    forge,     ///< `node` says something (`task`) for the other one.
    expel,     ///< The pool no longer uses `node`.
    leave,     ///< `node` leaves.
    restart,   ///< The program of `node` ends, and another one begins.
    tick_node, ///< `node` looks at its clock,
    tick_pool, ///< or the pool does.
    pass,      ///< A quarter of a lease passes.
  };

  kind is = kind::assign;
  std::uint8_t node = 0;
  std::uint8_t task = 0;
  bool is_up = false;
};

/// The real machines, with the lines between them. Contents are empty, and each
/// task and result travels alone, so that nothing depends on measured times.
class link_world {
public:
  explicit link_world(const link_setting& how);

  void list_steps(std::vector<link_step>& to) const;
  bool take(const link_step& step);
  static bool must_come(const link_step& step) noexcept;
  std::string words_for(const link_step& step) const;
  std::string wrong() const;
  std::string wrong_at_the_end() const;
  void encode(std::string& to) const;

private:
  using number = libpool::task_number;
  using session = libpool::worker_number;
  using connection = libpool::connection_number;

  template <class Batch>
  struct under_way {
    libpool::stream_mark mark;
    Batch batch;
  };

  template <class Batch>
  using channel = std::vector<under_way<Batch>>;

  /// The stream of one end, and what can be known of it from outside.
  template <class Batch>
  struct stream_end {
    libpool::session_stream<Batch> stream;
    bool has_asked = false; // as the stream knows
  };

  struct node {
    node(libpool::incarnation run, connection with);

    libpool::incarnation who;
    libpool::agent_connection machine;
    connection by;
    stream_end<libpool::batch_to_pool> own;
    stream_end<libpool::batch_to_node> of_pool;
    channel<libpool::batch_to_pool> up;
    channel<libpool::batch_to_node> down;
    bool is_whole = true; // the line
    bool knows_up = true; // that it is
    bool is_leaving = false;
    bool was_asked = false; // to give back, as the pool knows
    std::uint64_t hellos = 0;
    libpool::instant said_hello{};
    std::vector<number> queue; // as the machine has it
    std::vector<number> running;
  };

  /// Where a task is.
  enum class place : std::uint8_t { pool, way_there, queue, handler, way_back };

  struct fate {
    place is = place::pool;
    session at{}; // unless it is in the pool
    bool is_out = false;
    bool is_wanted = true;
    bool has_begun = false;      // the latest attempt,
    bool begins_no_more = false; // which has come back, or is lost
    std::uint8_t attempts = 0;
    unsigned losses = 0;
    unsigned runs = 0;
    unsigned outcomes = 0;
  };

  libpool::instant now() const;
  void list_steps_of(std::size_t at, std::vector<link_step>& to) const;
  void list_messages(std::size_t at, std::vector<link_step>& to) const;
  void list_assignments(std::vector<link_step>& to) const;
  bool takes_tasks(session which) const;
  bool may_begin(const node& at) const;
  bool is_over(session which) const;
  bool may_look() const;
  void look();
  session session_of(const node& which) const;

  void take_troubles(const link_step& step);
  void assign(std::size_t task, session to);
  void cancel(std::size_t task);
  void begin(node& at);
  void complete(node& at);
  void cut(node& at);
  void restart(std::size_t which);
  node next_program();
  void forge(std::size_t by, std::size_t what);

  template <class Batch>
  auto note(stream_end<Batch>& end, session of,
            const libpool::stream_mark& mark);
  template <class Batch>
  static void send(stream_end<Batch>& end, channel<Batch>& by, bool is_whole,
                   Batch batch, bool is_kept);
  template <class Batch>
  static void ask_or_repeat(stream_end<Batch>& end, channel<Batch>& by,
                            bool is_whole, bool asks, bool repeats);

  void arrive_at_pool(node& from);
  void tell_pool(node& from, libpool::batch_to_pool batch);
  void arrive_at_node(node& at);
  void note_sent(node& at, const libpool::tasks_sent& sent);
  void settle_steps();
  void carry_out();
  void deliver(const libpool::node_connections::deliver& what);
  void release(const libpool::node_connections::release& what);
  void check_release(const fate& of, libpool::node_connections::fate how);
  static void come_back(fate& of);
  void lose(fate& of);
  void collect(node& from);
  bool has_room() const noexcept;
  node& node_by(connection by);
  fate& fate_of(number task);
  bool is_latest(number task) const;

  bool has_two_sessions_of_a_node() const;
  bool has_left_unconfirmed() const;
  bool nodes_agree() const;
  std::string wrong_in_silence() const;
  std::string wrong_in_peace() const;
  void make_peace();
  bool goes_on_in_peace();
  void encode(std::string& to, const node& at) const;

  link_setting how_;
  int time_ = 0;
  libpool::node_connections pool_;
  std::vector<node> nodes_;
  std::array<fate, link_setting::most_tasks> fates_;
  std::uint64_t sessions_ = 0; // that the pool has begun
  std::set<session> served_;   // by nodes
  std::uint64_t programs_ = 0;
  libpool::instant due_{}; // when the pool has to look at its clock next
  int looked_ = 0;         // when it did
  std::string broken_;
};

} // namespace test
