#pragma once

#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/epochs.hpp"
#include "libpool/nodes/protocol/held_by_nodes.hpp"
#include "libpool/nodes/protocol/held_tasks.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"
#include "support/link_setting.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace test {

/// The real state machines, with simulated lines between them. Contents are
/// empty, and each task and result travels alone, so that nothing depends on
/// measured times.
///
/// A message of a node goes to all fronts that have not ended. The messages of
/// a front that has ended can still arrive.
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
    std::uint64_t epoch = 0;
    std::vector<std::uint64_t> held = {}; // of a hello
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

  /// A task at a node.
  struct held_task {
    number which{};
    std::size_t of = 0; // front
    bool stops = false; // whether its handler is asked to stop
  };

  struct node {
    node(libpool::incarnation run, connection with, std::uint64_t turn);

    libpool::incarnation who;
    libpool::agent_connection machine;
    libpool::node_epoch epoch;
    std::uint64_t highest = 0; // copy of a member of `epoch`
    libpool::instant heard{};  // copy of a member of `epoch`
    connection by;
    stream_end<libpool::batch_to_pool> own;
    bool is_whole = true; // whether the line works
    bool knows_up = true; // whether the node considers the line up
    bool is_leaving = false;
    std::size_t serves = 0; // front of the latest session
    std::size_t newest = 0; // newest front that the node has served
    session last{};         // the latest session
    std::uint64_t hellos = 0;
    libpool::instant said_hello{};
    std::vector<held_task> queue; // copy of the machine's queue
    std::vector<held_task> running;
    libpool::held_tasks<std::uint64_t> held; // handlers: number in the queue
    std::map<number, std::uint64_t> results; // not sent yet
    unsigned begun = 0; // bits of tasks of the queue, for checks
  };

  /// Where a task is.
  enum class place : std::uint8_t { pool, way_there, queue, handler, way_back };

  struct fate {
    place is = place::pool;
    session at{}; // session, unless the pool has the task
    bool is_out = false;
    bool is_wanted = true;
    bool is_recalled = false;    // whether the pool wants it back
    bool has_begun = false;      // whether the latest attempt has begun
    bool begins_no_more = false; // whether it has come back, or is lost
    std::uint8_t attempts = 0;
    unsigned losses = 0;
    unsigned runs = 0;
    unsigned outcomes = 0;
    std::uint8_t given = 0;  // attempt of the queue; 0: none
    bool asks = false;       // for a node that has begun the task
    bool is_adopted = false; // whether the latest attempt is without content
    bool is_stored = false;
  };

  /// A task of the durable queue.
  struct queue_entry {
    std::uint8_t given = 0;
    std::size_t holder = 0; // latest front that got the task
    unsigned begins = 0;    // of handlers
    bool is_stored = false; // whether there is a result
  };

  /// The end of a front for one address, and the messages from and to one node.
  struct line {
    stream_end<libpool::batch_to_node> of_pool;
    channel<libpool::batch_to_pool> up;
    channel<libpool::batch_to_node> down;
    bool is_known = false;           // whether the node has said hello
    bool was_asked = false;          // to give tasks back, by the pool
    std::vector<std::uint64_t> held; // in the latest hello
  };

  enum class life : std::uint8_t { runs, stands_still, has_ended };

  /// One run of the program with the pool.
  struct front {
    front(std::uint64_t run, std::size_t nodes);

    std::uint64_t epoch;
    libpool::node_connections pool;
    life is = life::runs;
    std::vector<line> lines; // one for each node
    std::array<fate, link_setting::most_tasks> fates;
    std::uint64_t sessions = 0; // sessions that the pool has begun
    std::set<session> served;   // sessions in which nodes have served
    libpool::instant due{};     // time at which the pool must look at its clock
    bool was_late = false;      // when it looked at its clock last
    int looked = 0;             // quarter in which it looked at its clock last
    int stopped = 0;            // quarter in which it stood still last
    int continued = -1;         // quarter in which it continued last
    libpool::held_by_nodes held;
    std::set<number> empty; // tasks that were sent without content
    libpool::instant adopts_until{};
  };

  // -- possible steps, in link_world.cpp --------------------------------------

  libpool::instant now() const;
  void list_steps_of_front(std::size_t which, std::vector<link_step>& to) const;
  void list_steps_of(std::size_t at, std::vector<link_step>& to) const;
  void list_steps_of_queue(std::size_t which, std::vector<link_step>& to) const;
  bool may_get(std::size_t which, std::size_t slot) const;
  void list_messages(std::size_t at, std::vector<link_step>& to) const;
  void list_assignments(std::size_t by, std::vector<link_step>& to) const;
  bool takes_tasks(const front& by, session which) const;
  bool may_begin(const node& at) const;
  bool may_look(const front& of) const;
  bool has_room() const noexcept;
  static session session_of(const front& in, const node& which);
  node next_program(std::size_t which);
  std::size_t address_of(std::size_t which) const noexcept;
  void begin_front(std::uint64_t epoch);

  // -- steps, in link_world_steps.cpp -----------------------------------------

  void take_troubles(const link_step& step);
  void take_steps_of_front(const link_step& step);
  void assign(front& by, std::size_t task, session to);
  static void send_out(fate& of, session to);
  static number number_of(std::size_t task, std::uint8_t attempt) noexcept;
  void cancel(front& by, std::size_t task);
  void recall(front& by, std::size_t task);
  void begin(node& at);
  void check_begin(const node& at, const held_task& task);
  static bool is_over(const front& of, session which);
  void complete(node& at);
  void drop(const link_step& step);
  void cut(std::size_t which);
  void look(front& of);
  void restart(std::size_t which);
  void succeed(bool stands_still);
  void forge(std::size_t by, std::size_t what);

  // -- messages and decisions, in link_world_messages.cpp ---------------------

  template <class Batch>
  static auto note(stream_end<Batch>& end, session of,
                   const libpool::stream_mark& mark);
  template <class Batch>
  static libpool::stream_mark mark_for(stream_end<Batch>& end,
                                       const Batch& batch, bool is_kept);
  void send(std::size_t from, const libpool::batch_to_pool& batch);
  void send(front& from, std::size_t to, const libpool::batch_to_node& batch);
  void say(std::size_t from, const libpool::stream_mark& mark,
           const libpool::batch_to_pool& batch);
  void say(front& from, std::size_t to, const libpool::stream_mark& mark,
           const libpool::batch_to_node& batch);
  template <class Batch, class F>
  static void ask_or_repeat(stream_end<Batch>& end, bool asks, bool repeats,
                            F say);

  void arrive_at_pool(front& at, std::size_t from);
  bool is_for(const front& at, const line& with,
              const under_way<libpool::batch_to_pool>& message) const;
  void tell_pool(front& at, std::size_t from, libpool::batch_to_pool batch,
                 std::uint64_t epoch);
  void check_results(front& at, const libpool::batch_to_pool& batch,
                     std::uint64_t epoch);
  void arrive_at_node(std::size_t which, std::size_t from);
  libpool::node_epoch::verdict
  note_epoch(node& at, const under_way<libpool::batch_to_node>& message);
  void note_sent(node& at, std::size_t from, const libpool::tasks_sent& sent);
  void note_forgotten(node& from);
  void note_stopping(node& from);
  void collect(std::size_t from);
  void settle_steps();
  void carry_out(front& of);
  void deliver(front& from, const libpool::node_connections::deliver& what);
  void release(front& by, const libpool::node_connections::release& what);
  void check_release(const fate& of, libpool::node_connections::fate how);
  static void come_back(fate& of);
  void lose(fate& of);
  std::size_t node_by(connection by) const;
  static fate& fate_of(front& of, number task);
  static bool is_latest(const front& of, number task);

  // -- the durable queue, in link_world_queue.cpp -----------------------------

  std::size_t slots() const noexcept {
    return how_.tasks + (how_.repeats ? 1 : 0);
  }

  std::uint64_t submission_of(std::size_t slot) const noexcept;
  std::uint64_t submission_of(number task) const noexcept;
  const queue_entry& entry_of(std::size_t slot) const;
  void take_steps_of_queue(const link_step& step);
  void decide(front& by, std::size_t slot);
  void run_or_fail(fate& of);
  void try_to_adopt(front& by);
  void name_submissions(front& from, session to,
                        libpool::tasks_sent& batch) const;
  void adopt(node& at, number task);
  void note_begun(node& at, number task);
  void finish(node& at, number task, std::uint64_t result);
  void end(front& by, fate& of, std::uint64_t submission) const;
  void check_adoption(const front& by, const fate& of,
                      const libpool::node_connections::release& what);
  void check_sent(node& from, const libpool::tasks_done& done);
  std::string wrong_queue() const;
  std::string wrong_queue_in_peace(bool serves) const;

  // -- checks, in link_world_checks.cpp ---------------------------------------

  std::string wrong_tasks(std::size_t of) const;
  static bool has_two_sessions_of_a_node(const front& of);
  bool has_left_unconfirmed() const;
  std::string wrong_stops(std::size_t at) const;
  static bool counts_tasks(const front& of);
  bool nodes_agree() const;
  std::string wrong_in_silence() const;
  std::string wrong_in_peace() const;
  std::string wrong_node_in_peace(std::size_t which) const;
  void make_peace();
  bool goes_on_in_peace();

  // -- bytes, in link_world_bytes.cpp -----------------------------------------

  void encode(std::string& to, const node& at) const;
  void encode(std::string& to, const front& of) const;
  void encode(std::string& to, const fate& of) const;
  void encode_held(std::string& to, const node& at) const;
  void encode_held(std::string& to, const front& of) const;

  link_setting how_;
  int time_ = 0;
  std::vector<front> fronts_; // by epoch, from 1
  std::vector<node> nodes_;
  std::array<queue_entry, link_setting::most_tasks> queue_;
  std::uint64_t programs_ = 0; // of nodes
  std::string broken_;
};

} // namespace test
