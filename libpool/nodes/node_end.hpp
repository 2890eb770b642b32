#pragma once

#include "libpool/core/ending.hpp"
#include "libpool/core/ewma.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/byte_credit.hpp"
#include "libpool/nodes/letters.hpp"
#include "libpool/nodes/link_protocol.hpp"
#include "libpool/nodes/mean_bytes.hpp"
#include "libpool/nodes/node_link.hpp"
#include "libpool/nodes/node_side.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// How a node serves a pool.
struct node_offer {
  /// So many tasks run at once; at least 1.
  std::size_t slots = 1;
  /// So many results travel together, at most; at least 1.
  std::size_t portion = 64;
  /// So many bytes of results may be under way; as the pool has it.
  std::size_t credit = std::size_t{1} << 20U;
};

/// The node's end of its connection with a pool: says which task may begin now,
/// and how results travel. Asks for as many tasks as it needs for never being
/// idle while the next ones are on their way.
///
/// Contents are the owner's: those of tasks that are `forgotten` are to be
/// dropped, and so is the result of a task that `finished` does not take.
///
/// Time:    see `node_link`.
/// Cost:    O(1) for each task, and O(handlers that run).
/// Threads: one at a time.
/// Errors:  letters of sessions that are over, and ends of tasks that have not
///          begun, change nothing.
class node_end {
public:
  /// Makes the end of a node that is not connected.
  node_end(incarnation who, const node_offer& how) noexcept;

  // -- facts ------------------------------------------------------------------

  /// There is a connection to the pool, a new one.
  void connected(instant now);

  /// There is none any more.
  void disconnected();

  /// A letter has arrived, with so many bytes of contents. Returns whether it
  /// is of this session: otherwise its contents are nobody's.
  bool told(const letter_to_node& letter, std::size_t bytes, instant now);

  /// Time has passed.
  void ticked(instant now);

  /// A handler has ended, and its result has so many bytes. `took`: how long
  /// it ran, if that is known better than since when it was to begin. Returns
  /// whether the pool is told.
  bool finished(task_number task, ending how, std::size_t bytes, instant now,
                std::optional<duration> took = std::nullopt);

  /// The task, which was to begin, has not: its content cannot be read here.
  void unreadable(task_number task, std::string why);

  /// Begins nothing more, gives back what has not begun, and ends the session
  /// when what has begun is told.
  void leave();

  // -- questions --------------------------------------------------------------

  /// The next task, whose handler begins now; none if none waits, as many run
  /// as can, the lease does not last, or a task of that number runs since an
  /// older session.
  std::optional<task_number> start(instant now);

  /// The tasks that came and are not to begin; the caller clears them.
  std::vector<task_number>& forgotten() noexcept {
    return forgotten_;
  }

  /// Whether there is nothing left to do or to tell, after `leave`.
  bool has_left() const noexcept {
    return has_left_;
  }

  /// Whether the pool has sent the node away.
  bool is_dismissed() const noexcept {
    return is_dismissed_;
  }

  /// Whether results wait for others to travel with: `flush` is to be called
  /// when there is nothing better to do.
  bool has_to_flush() const noexcept {
    return has_to_flush_;
  }

  /// When `flush` is to be called at the latest, `never` if nothing waits: at
  /// once, but that results of short tasks wait for others to end for a part of
  /// the time that they travel anyway.
  instant flush_at() const noexcept;

  /// Makes letters of the results that wait.
  void flush();

  /// Returns the link to the pool.
  const node_link& link() const noexcept {
    return link_;
  }

  /// How many handlers run, those of older sessions included.
  std::size_t running() const noexcept {
    return began_.size();
  }

  /// Returns the number of tasks that have not begun.
  std::size_t waiting() const noexcept {
    return tasks_.queue().size();
  }

  /// How long a task takes, on average; zero if that is not known.
  duration service() const noexcept {
    return service_.empty() ? duration{0}
                            : std::max(service_.value(), duration{1});
  }

  /// When to tell the time, if ever.
  instant next_tick() const noexcept {
    return link_.next_tick();
  }

  /// The letters to send to the pool, in this order; the caller clears them.
  std::vector<letter_to_pool>& letters() noexcept {
    return letters_;
  }

private:
  /// Adds a letter. It is made in place: gcc 12 takes a temporary variant that
  /// is moved for one that may have no value.
  template <class Content>
  void send(worker_number session, Content content) {
    auto& added = letters_.emplace_back();
    added.session = session;
    added.content.template emplace<Content>(std::move(content));
  }

  struct result {
    task_done end;
    std::size_t bytes = 0;
  };

  void measure(const beat& back, instant now);
  void take(const tasks_sent& sent);
  void take(const steal_request& request);
  void take(const receipt& confirmed);
  void take(const forget& unwanted);
  void collect_link();
  void collect_tasks();
  void session_changed();
  void give_back_waiting();
  void ship_if_due();
  void ship();
  void leave_if_done();
  void state_demand();
  std::size_t window() const noexcept;
  duration time_to_wait() const noexcept;

  node_offer how_;
  node_link link_;
  node_side tasks_;
  std::optional<worker_number> session_; // that `tasks_` and `results_` are of
  byte_credit credit_;
  byte_receipts receipts_;
  std::map<task_number, instant> began_;
  std::deque<result> results_; // wait to be sent
  std::vector<task_number> forgotten_;
  std::vector<letter_to_pool> letters_;
  ewma service_;
  mean_bytes bytes_;                   // of the session's tasks
  mean_bytes result_bytes_;            // of the session's results
  std::optional<duration> round_trip_; // of the session, the shortest
  demand told_;                        // of the session, the last
  bool has_to_flush_ = false;
  instant waits_since_{}; // with `has_to_flush_`: the first of the results
  bool is_leaving_ = false;
  bool has_left_ = false;
  bool is_dismissed_ = false;
};

} // namespace libpool
