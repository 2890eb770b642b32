#pragma once

#include "arrivals.hpp"
#include "node_settings.hpp"
#include "node_troubles.hpp"
#include "one_way.hpp"
#include "result.hpp"
#include "scenario.hpp"

#include "libpool/nodes/node_end.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace poolsim {

/// What travels with the number of a task, and all that a node knows of it.
struct content {
  libpool::task_number task{};
  arrival from;
  /// The number of its row, and when it came.
  std::size_t id = 0;
  duration submitted{0};
  std::uint32_t steals = 0;
};

/// A letter with what belongs to it.
struct parcel_to_node {
  libpool::letter_to_node letter;
  std::vector<content> contents;
  std::size_t bytes = 0;
};

struct parcel_to_pool {
  libpool::letter_to_pool letter;
  std::size_t bytes = 0;
};

/// Is told what nodes do.
class node_watcher {
public:
  /// Returns the number of the connection.
  virtual libpool::connection_number connected(std::size_t node) = 0;

  virtual void began(const content& task, std::size_t node, duration now) = 0;
  virtual void ran(const task_run& run) = 0;

protected:
  node_watcher() = default;
  node_watcher(const node_watcher&) = default;
  node_watcher& operator=(const node_watcher&) = default;
  ~node_watcher() = default;
};

/// A node: the state machine of its end of the link, the link, the handlers
/// that run, and its troubles.
///
/// Time: runs go on while the link is cut; a node that stands still pauses
///       them, and begins and tells nothing, while its leases pass.
/// Cost: O(log tasks of the node) an event.
class node {
public:
  node(const scenario& of, std::size_t id, node_watcher& watcher);

  // -- the pool's end of the link ---------------------------------------------

  /// It goes nowhere if that connection is no more.
  void send(libpool::connection_number by, parcel_to_node parcel, duration now);

  /// By which the letters come that arrive now.
  libpool::connection_number connection() const noexcept {
    return connection_;
  }

  /// The next letter that has arrived at the pool, if any.
  std::optional<parcel_to_pool> take_letter(duration now);

  /// The next connection that the pool is told to be closed, if any: after all
  /// letters that came by it.
  std::optional<libpool::connection_number> take_closed(duration now);

  // -- the node ---------------------------------------------------------------

  /// Does all that is due but to tell the pool.
  void act(duration now);

  /// When something is due.
  duration next() const;

  // -- questions --------------------------------------------------------------

  /// How many tasks could begin if the node had them.
  std::size_t free_slots() const noexcept;

  std::uint64_t letters() const noexcept {
    return letters_;
  }

  std::uint64_t result_bytes() const noexcept {
    return result_bytes_;
  }

  /// What it has and has done, the runs included that were told by `close`; but
  /// for how many tasks have completed.
  worker_row row() const;

  /// Tells of the runs that go on.
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
  void start_program(duration now);
  void connect(duration now);
  void die(duration now);
  void wake_up(duration now);
  void leave_if_done(duration now);
  void read_letters(duration now);
  void end_runs(duration now);
  void begin_runs(duration now);
  void write_letters(duration now);
  void forget_contents();
  void post(libpool::letter_to_pool letter, duration now);
  void note(const handler_run& run, duration now, task_run::ending how);
  duration latency();

  const scenario& scenario_;
  const node_group& group_;
  const std::size_t id_;
  node_watcher& watcher_;
  node_troubles troubles_;
  std::optional<libpool::node_end> machine_; // of the program that runs
  std::uint64_t programs_ = 0;

  // Zero or more at a time.
  unsigned kills_ = 0;
  unsigned stands_ = 0;
  unsigned cuts_ = 0;

  bool has_joined_ = false;
  bool is_leaving_ = false;
  bool is_to_connect_ = false;
  bool is_open_ = false; // the connection
  duration stands_since_{0};
  libpool::connection_number connection_{};
  one_way<parcel_to_pool> up_;
  one_way<parcel_to_node> down_;
  std::deque<std::pair<duration, libpool::connection_number>> closed_;
  std::map<libpool::task_number, content> contents_;    // not begun
  std::map<libpool::task_number, std::size_t> results_; // bytes, not sent
  std::optional<libpool::worker_number> session_;       // that these are of
  runs runs_;
  std::set<std::pair<duration, libpool::task_number>> ends_;
  duration busy_{0};
  std::uint64_t latencies_ = 0; // drawn
  std::uint64_t letters_ = 0;
  std::uint64_t result_bytes_ = 0;
};

} // namespace poolsim
