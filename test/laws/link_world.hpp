#pragma once

#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/epochs.hpp"
#include "libpool/nodes/protocol/held_by_nodes.hpp"
#include "libpool/nodes/protocol/held_tasks.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"
#include "link_setting.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace test {

class link_world;

/// One step of the model: an action, and whom it is about.
struct link_step {
  using action = void (link_world::*)(const link_step&);

  action act = nullptr;
  const char* words = "";
  /// Whether the step happens sooner or later, unless another one makes it
  /// impossible.
  bool must_come = false;
  /// How often the step is taken in random runs: one time in this many.
  std::uint8_t one_in = 1;
  std::uint8_t front = 0;
  std::uint8_t node = 0; // or, for `assign`, the session
  std::uint8_t task = 0;
};

/// The stream of one end, with a copy of a flag that the stream does not show.
template <class Batch>
struct stream_end {
  /// Notes a message. With `again`, it is handled also if it has arrived
  /// before.
  auto note(libpool::worker_number of, const libpool::stream_mark& mark,
            bool again) {
    auto result = stream.note(of, mark);
    has_asked &= !(mark.is_numbered && result.is_next);
    has_asked |= result.must_ask;
    result.is_next |= again && mark.is_numbered && of == stream.session()
                      && mark.last <= stream.stream().mark_beside().received;
    return result;
  }

  /// Returns the mark of a message, which becomes part of the stream if
  /// `is_kept` is set.
  libpool::stream_mark mark_for(const Batch& batch, bool is_kept) {
    auto before = stream.session();
    auto mark = is_kept ? stream.add(batch.session, batch)
                        : stream.mark_beside(batch.session, false);
    has_asked &= stream.session() == before;
    return mark;
  }

  /// Asks for messages, or sends messages again, after `note`.
  template <class Arrival, class F>
  void answer(const Arrival& what, F say) {
    auto of = stream.session();
    if (what.must_ask)
      say(stream.mark_beside(of, true), Batch{of, libpool::resend{}});
    if (what.must_repeat)
      stream.stream().repeat(say);
  }

  /// Number of messages that are not acknowledged.
  std::size_t kept() const {
    auto copy = stream;
    return copy.stream().kept();
  }

  libpool::session_stream<Batch> stream;
  bool has_asked = false;
};

/// The real state machines of pools and nodes, with simulated lines between
/// them. Each result travels alone unless `portion` is above 1, and nothing
/// depends on measured times.
///
/// A message of a node goes to all fronts that have not ended. The messages of
/// a front that has ended can still arrive.
class link_world {
public:
  explicit link_world(const link_setting& how);

  void list_steps(std::vector<link_step>& to) const;

  bool take(const link_step& step) {
    (this->*step.act)(step);
    settle_steps();
    return has_room();
  }

  static bool must_come(const link_step& step) noexcept {
    return step.must_come;
  }

  /// Whether all time has passed.
  bool is_over() const noexcept {
    return time_ >= how_.until;
  }

  std::string words_for(const link_step& step) const;
  std::string wrong() const;
  std::string wrong_at_the_end() const;
  void encode(std::string& to) const;

  /// Numbers of tasks that nodes had and have no more, by how they came back.
  const std::map<libpool::node_connections::fate, std::size_t>&
  released() const noexcept {
    return released_;
  }

private:
  using number = libpool::task_number;
  using session = libpool::worker_number;
  using connection = libpool::connection_number;
  using action = link_step::action;
  using how_released = libpool::node_connections::fate;

  template <class Batch>
  struct under_way {
    libpool::stream_mark mark;
    Batch batch;
    std::uint64_t epoch = 0;
    std::vector<std::uint64_t> held = {}; // of a hello
  };

  /// A task at a node.
  struct held_task {
    number which{};
    std::size_t of = 0; // front
    bool stops = false; // whether its handler is asked to stop
  };

  struct node {
    libpool::incarnation who;
    connection by;
    libpool::agent_connection machine;
    libpool::node_epoch epoch{};
    std::uint64_t highest = 0; // copy of a member of `epoch`
    libpool::instant heard{};  // copy of a member of `epoch`
    stream_end<libpool::batch_to_pool> own{};
    bool is_whole = true; // whether the line works
    bool knows_up = true; // whether the node considers the line up
    bool is_leaving = false;
    std::size_t serves = 0; // front of the latest session
    std::size_t newest = 0; // newest front that the node has served
    session last{};         // the latest session
    std::uint64_t hellos = 0;
    libpool::instant said_hello{};
    std::vector<held_task> queue{}; // copy of the machine's queue
    std::vector<held_task> running{};
    libpool::held_tasks<std::uint64_t> held{}; // handlers: number in the queue
    std::map<number, std::uint64_t> results{}; // not sent yet
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
    bool is_forgotten = false;   // by a mistake of the pool
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
    std::vector<under_way<libpool::batch_to_pool>> up;
    std::vector<under_way<libpool::batch_to_node>> down;
    bool is_known = false;           // whether the node has said hello
    bool was_asked = false;          // to give tasks back, by the pool
    std::vector<std::uint64_t> held; // in the latest hello
  };

  enum class life : std::uint8_t { runs, stands_still, has_ended };

  /// One run of the program with the pool.
  struct front {
    std::uint64_t epoch;
    libpool::node_connections pool;
    std::vector<line> lines; // one for each node
    std::vector<fate> fates; // of tasks
    libpool::instant adopts_until{};
    life is = life::runs;
    std::uint64_t sessions = 0; // sessions that the pool has begun
    std::set<session> served{}; // sessions in which nodes have served
    libpool::instant due{};     // time at which the pool must look at its clock
    bool was_late = false;      // when it looked at its clock last
    int looked = 0;             // time at which it looked at its clock last
    int stopped = 0;            // time at which it stood still last
    int continued = -1;         // time at which it continued last
    libpool::held_by_nodes held{};
    std::set<number> empty{}; // tasks that were sent without content
  };

  /// Adds steps of a front and a node to a list.
  struct lister {
    void must(bool is_possible, action act, const char* words,
              std::size_t task = 0, std::uint8_t one_in = 1) const;
    void may(bool is_possible, action act, const char* words,
             std::size_t task = 0, std::uint8_t one_in = 16) const;

    std::vector<link_step>& to;
    std::size_t front = 0;
    std::size_t node = 0;
  };

  // -- possible steps, in link_world.cpp --------------------------------------

  libpool::instant now() const;
  void list_steps_of_front(std::size_t which, std::vector<link_step>& to) const;
  void list_steps_of_node(std::size_t which, std::vector<link_step>& to) const;
  void list_steps_of_queue(std::size_t which, const lister& list) const;
  void list_assignments(std::size_t by, std::vector<link_step>& to) const;
  bool may_get(std::size_t which, std::size_t slot) const;
  bool may_look(const front& of) const;
  bool has_room() const noexcept;
  static session session_of(const front& in, const node& which);
  node next_program(std::size_t which);
  std::size_t address_of(std::size_t which) const noexcept;
  void begin_front(std::uint64_t epoch);

  // -- steps, in link_steps.cpp and link_queue.cpp ----------------------------

  void pass(const link_step&);
  void assign(const link_step& step);
  void cancel(const link_step& step);
  void recall(const link_step& step);
  void begin(const link_step& step);
  void refuse(const link_step& step);
  void complete(const link_step& step);
  void arrive_at_pool(const link_step& step);
  void arrive_at_node(const link_step& step);
  void drop_to_pool(const link_step& step);
  void drop_to_node(const link_step& step);
  void cut(const link_step& step);
  void notice(const link_step& step);
  void mend(const link_step& step);
  void connect(const link_step& step);
  void forge(const link_step& step);
  void expel(const link_step& step);
  void leave(const link_step& step);
  void restart(const link_step& step);
  void tick_node(const link_step& step);
  void flush_node(const link_step& step);
  void flush_pool(const link_step& step);
  void tick_pool(const link_step& step);
  void suspend(const link_step& step);
  void resume(const link_step& step);
  void end_front(const link_step& step);
  void stop_front(const link_step& step);
  void give(const link_step& step);
  void decide(const link_step& step);
  void store(const link_step& step);

  // -- parts of steps ---------------------------------------------------------

  number number_of(std::size_t task, const fate& of) const noexcept;
  std::size_t bytes_of(number task) const noexcept;
  std::size_t bytes_of(const libpool::batch_to_node& batch) const;
  std::size_t bytes_of(const libpool::batch_to_pool& batch) const;
  static void send_out(fate& of, session to);
  bool start(node& at, held_task& begun);
  void check_begin(const node& at, const held_task& task);
  void succeed(life next);

  // -- messages and decisions, in link_messages.cpp ---------------------------

  void send(std::size_t from, const libpool::batch_to_pool& batch);
  void send(front& from, std::size_t to, const libpool::batch_to_node& batch);
  void say(std::size_t from, const libpool::stream_mark& mark,
           const libpool::batch_to_pool& batch);
  void say(front& from, std::size_t to, const libpool::stream_mark& mark,
           const libpool::batch_to_node& batch);
  void tell_pool(front& at, std::size_t from,
                 under_way<libpool::batch_to_pool> message);
  void check_results(front& at,
                     const under_way<libpool::batch_to_pool>& message);
  libpool::node_epoch::verdict
  note_epoch(node& at, const under_way<libpool::batch_to_node>& message);
  void note_sent(node& at, std::size_t from, const libpool::tasks_sent& sent);
  void note_forgotten(node& from);
  void note_stopping(node& from);
  void collect(std::size_t from);
  void settle_steps();
  void carry_out(front& of, bool is_bye = false);
  void deliver(front& from, const libpool::node_connections::deliver& what);
  void release(front& by, const libpool::node_connections::release& what,
               bool is_bye);
  void check_release(const fate& of, how_released how);
  std::size_t node_by(connection by) const;
  static fate& fate_of(front& of, number task);
  static const fate& fate_of(const front& of, number task);
  static bool is_latest(const front& of, number task);
  fate* open_fate_of(const held_task& task);

  // -- the durable queue, in link_queue.cpp -----------------------------------

  std::size_t slots() const noexcept {
    return how_.tasks + (how_.repeats ? 1 : 0);
  }

  std::uint64_t submission_of(std::size_t slot) const noexcept;
  std::uint64_t submission_of(number task) const noexcept;
  queue_entry& entry_of(std::size_t slot);
  void run_or_fail(fate& of);
  void try_to_adopt(front& by);
  void name_submissions(front& from, session to,
                        libpool::tasks_sent& batch) const;
  void adopt(node& at, number task);
  void note_begun(node& at, number task);
  void finish(node& at, number task, std::uint64_t result);
  void check_adoption(const front& by, const fate& of,
                      const libpool::node_connections::release& what);
  void check_sent(node& from, const libpool::tasks_done& done);

  // -- checks, in link_checks.cpp ---------------------------------------------

  std::string wrong_tasks(std::size_t of) const;
  static bool has_two_sessions_of_a_node(const front& of);
  bool has_left_unconfirmed() const;
  std::string wrong_stops(std::size_t at) const;
  bool counts_tasks(const front& of) const;
  bool has_too_many_bytes(const front& of) const;
  std::string wrong_counts() const;
  std::string wrong_in_silence() const;
  std::string wrong_in_peace() const;
  std::string wrong_node_in_peace(std::size_t which) const;
  std::string wrong_queue_in_peace(bool serves) const;
  void make_peace();
  bool goes_on_in_peace();

  // -- bytes, in link_bytes.cpp -----------------------------------------------

  void encode(std::string& to, const node& at) const;
  void encode(std::string& to, const front& of) const;
  void encode(std::string& to, const fate& of) const;

  link_setting how_;
  int time_ = 0;
  std::vector<front> fronts_; // by epoch, from 1
  std::vector<node> nodes_;
  std::vector<queue_entry> queue_;
  std::uint64_t programs_ = 0; // of nodes
  std::map<how_released, std::size_t> released_;
  std::string broken_;
};

} // namespace test
