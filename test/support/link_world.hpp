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

/// Parameters of a pool with two nodes, and of the events that may happen to
/// them. Times are in quarters of a lease.
struct link_setting {
  static constexpr std::size_t most_tasks = 3;
  /// Duration of a quarter of a lease. It is longer than any pause between
  /// hellos, so that a hello can follow in each quarter.
  static constexpr libpool::duration quarter = std::chrono::seconds{10};
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
  /// Maximum number of messages that a node sends in the session of the other
  /// node.
  unsigned forgeries = 0;
  /// Maximum number of nodes that the pool expels.
  unsigned expelled = 0;
  /// Maximum number of nodes that leave.
  unsigned leaving = 0;
  /// Maximum number of programs of nodes that end, and start again.
  unsigned restarts = 0;
  /// Maximum number of tasks whose clients stop waiting.
  unsigned unwanted = 0;
  /// Number of quarters of a lease that pass.
  int until = 4;
  /// Maximum number of messages in a channel.
  std::size_t room = 3;
  std::size_t nodes = 2;

  /// Whether nodes send demands, which state long tasks. Then the pool asks
  /// nodes to give tasks back.
  bool shares = false;

  // -- deliberate mistakes, which the search must find ------------------------

  /// The pool retries tasks as soon as their node is expelled.
  bool does_not_wait = false;
  /// Number of quarters by which the node takes its lease for longer.
  int longer = 0;
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
  /// The bye of a node is sent only once, even if it is lost.
  bool says_bye_once = false;
};

/// One step of the model.
struct link_step {
  enum class kind : std::uint8_t {
    assign,    ///< The pool sends `task` in the session `node`.
    cancel,    ///< No client waits for `task` any more.
    begin,     ///< `node` begins a task.
    complete,  ///< The first handler of `node` ends.
    arrive,    ///< The first message from or to `node` arrives.
    drop,      ///< The first message from or to `node` is lost.
    cut,       ///< The line of `node` is interrupted.
    notice,    ///< `node` notices the interruption.
    mend,      ///< The line of `node` works again.
    connect,   ///< `node` notices that its line works again.
    forge,     ///< `node` sends message `task` for the other node.
    expel,     ///< The pool no longer uses `node`.
    leave,     ///< `node` leaves.
    restart,   ///< The program of `node` ends, and another one begins.
    tick_node, ///< `node` looks at its clock.
    tick_pool, ///< The pool looks at its clock.
    pass,      ///< A quarter of a lease passes.
  };

  kind is = kind::assign;
  std::uint8_t node = 0;
  std::uint8_t task = 0;
  bool is_up = false;
};

/// The real state machines, with simulated lines between them. Contents are
/// empty, and each task and result travels alone, so that nothing depends on
/// measured times.
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

  /// The stream of one end, with a copy of a flag that the stream does not
  /// show.
  template <class Batch>
  struct stream_end {
    libpool::session_stream<Batch> stream;
    bool has_asked = false; // copy of the stream's flag
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
    bool is_whole = true; // whether the line works
    bool knows_up = true; // whether the node considers the line up
    bool is_leaving = false;
    bool was_asked = false; // to give tasks back, by the pool
    std::uint64_t hellos = 0;
    libpool::instant said_hello{};
    std::vector<number> queue; // copy of the machine's queue
    std::vector<number> running;
  };

  /// Where a task is.
  enum class place : std::uint8_t { pool, way_there, queue, handler, way_back };

  struct fate {
    place is = place::pool;
    session at{}; // session, unless the pool has the task
    bool is_out = false;
    bool is_wanted = true;
    bool has_begun = false;      // whether the latest attempt has begun
    bool begins_no_more = false; // whether it has come back, or is lost
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
  std::uint64_t sessions_ = 0; // sessions that the pool has begun
  std::set<session> served_;   // sessions in which nodes have served
  std::uint64_t programs_ = 0;
  libpool::instant due_{}; // time at which the pool must look at its clock
  int looked_ = 0;         // quarter in which it looked at its clock last
  std::string broken_;
};

} // namespace test
