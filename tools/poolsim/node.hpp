#pragma once

#include "arrivals.hpp"
#include "node_settings.hpp"
#include "node_troubles.hpp"
#include "one_way.hpp"
#include "result.hpp"
#include "scenario.hpp"

#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace poolsim {

/// Content of a task, with everything that a node knows about the task.
struct content {
  libpool::task_number task{};
  arrival from;
  /// Number of the task's row, and time of the submission.
  std::size_t id = 0;
  duration submitted{0};
  std::uint32_t steals = 0;
};

/// A message batch, with its contents.
struct parcel_to_node {
  libpool::batch_to_node batch;
  std::vector<content> contents;
  std::size_t bytes = 0;
};

struct parcel_to_pool {
  libpool::batch_to_pool batch;
  std::size_t bytes = 0;
};

/// A message batch that travels, with its place in the stream of its session.
template <class Parcel>
struct travelling {
  libpool::stream_mark mark;
  Parcel parcel;
};

/// Receiver of reports from nodes.
class node_watcher {
public:
  /// Records a new connection, and returns its number.
  virtual libpool::connection_number connected(std::size_t node) = 0;

  virtual void began(const content& task, std::size_t node, duration now) = 0;
  virtual void ran(const task_run& run) = 0;

protected:
  node_watcher() = default;
  node_watcher(const node_watcher&) = default;
  node_watcher& operator=(const node_watcher&) = default;
  ~node_watcher() = default;
};

/// A node: its end of the connection, the link, the running handlers, and its
/// losses.
///
/// Time: runs continue while the link is cut, which both drops what is in
///       flight and what is sent; the node notices both ends of a cut. A node
///       that stands still pauses its runs and neither begins nor reports
///       anything, while its lease passes.
/// Cost: O(log tasks of the node) for each event.
class node {
public:
  node(const scenario& scenario, std::size_t id, node_watcher& watcher);

  // -- the pool's end of the link ---------------------------------------------

  /// Sends the message batch to the node; lost if the connection has ended or
  /// the link is cut.
  void send(libpool::connection_number number, parcel_to_node parcel,
            duration now);

  /// Connection of the message batches that arrive now.
  libpool::connection_number connection() const noexcept {
    return connection_;
  }

  /// Removes and returns the next message batch that has arrived at the pool,
  /// which has to handle it; unset if none has.
  std::optional<parcel_to_pool> take_batch(duration now);

  // -- the node ---------------------------------------------------------------

  /// Does everything that is due at the node, except for reports to the pool.
  void act(duration now);

  /// Returns the time at which the next event at the node is due.
  duration next() const;

  // -- questions --------------------------------------------------------------

  /// Number of further tasks that could run now.
  std::size_t free_slots() const noexcept;

  std::uint64_t batches() const noexcept {
    return batches_;
  }

  std::uint64_t result_bytes() const noexcept {
    return result_bytes_;
  }

  /// Returns the state of the node, with the runs that `close` reported, and
  /// without the number of completed tasks.
  worker_row row() const;

  /// Reports the runs that have not ended.
  void close(duration now);

private:
  struct handler_run {
    content of;
    duration started{0};
    duration ends{0};
  };

  using runs = std::map<libpool::task_number, handler_run>;

  bool is_awake() const noexcept {
    return machine_ && stands_ == 0;
  }

  duration next_of_program() const;
  void suffer(duration now);
  void change(const node_troubles::change& what, duration now);
  void cut_link();
  void notice_link(duration now);
  void start_program(duration now);
  void connect(duration now);
  void die(duration now);
  void wake_up(duration now);
  void leave_if_done();
  void read_batches(duration now);
  void end_runs(duration now);
  void begin_runs(duration now);
  void write_batches(duration now);
  void forget_contents();
  void post(libpool::batch_to_pool batch, duration now);
  template <class Parcel>
  void send_new(libpool::session_stream<Parcel>& stream,
                one_way<travelling<Parcel>>& way, Parcel parcel, duration now);
  template <class Parcel>
  void send(one_way<travelling<Parcel>>& way, travelling<Parcel> what,
            duration now);
  template <class Parcel, class Answer>
  std::optional<Parcel> take(one_way<travelling<Parcel>>& way,
                             libpool::session_stream<Answer>& stream,
                             one_way<travelling<Answer>>& back, duration now);
  void note(const handler_run& run, duration now, task_run::ending ending);
  duration latency();

  const scenario& scenario_;
  const node_group& group_;
  const std::size_t id_;
  node_watcher& watcher_;
  node_troubles troubles_;
  std::optional<libpool::agent_connection> machine_; // of the running program
  std::uint64_t programs_ = 0;

  // Number of current losses of each kind.
  unsigned kills_ = 0;
  unsigned stands_ = 0;
  unsigned cuts_ = 0;

  bool has_joined_ = false;
  bool is_leaving_ = false;
  bool is_to_connect_ = false;
  bool is_open_ = false;   // the connection
  bool knows_cut_ = false; // that the link is cut
  duration stands_since_{0};
  libpool::connection_number connection_{};
  one_way<travelling<parcel_to_pool>> up_;
  one_way<travelling<parcel_to_node>> down_;
  libpool::session_stream<parcel_to_pool> own_;         // the node's end,
  libpool::session_stream<parcel_to_node> of_pool_;     // and the pool's
  std::map<libpool::task_number, content> contents_;    // not begun
  std::map<libpool::task_number, std::size_t> results_; // bytes, not sent
  std::optional<libpool::worker_number> session_;       // of these tasks
  runs runs_;
  std::set<std::pair<duration, libpool::task_number>> ends_;
  duration busy_{0};
  std::uint64_t latencies_ = 0; // number of draws
  std::uint64_t batches_ = 0;
  std::uint64_t result_bytes_ = 0;
};

} // namespace poolsim
