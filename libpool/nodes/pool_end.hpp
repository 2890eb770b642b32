#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/byte_credit.hpp"
#include "libpool/nodes/letters.hpp"
#include "libpool/nodes/link_protocol.hpp"
#include "libpool/nodes/link_rate.hpp"
#include "libpool/nodes/mean_bytes.hpp"
#include "libpool/nodes/node_sessions.hpp"
#include "libpool/nodes/pool_side.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace libpool {

/// How a pool deals with its nodes.
struct node_terms {
  /// A node that is not heard of for so long is given up; at least 1 ms.
  duration lease{std::chrono::seconds{5}};
  /// So many short tasks travel together, at most; at least 1.
  std::size_t portion = 64;
  /// So many bytes of contents may be under way to a node, and back; at least
  /// 1 KiB.
  std::size_t credit = std::size_t{1} << 20U;
  /// A node gets no more tasks at a time, whatever it wants; at least 1.
  std::size_t most_in_flight = 1024;
};

/// The pool's end of its connections with nodes: sessions and leases, which
/// node has which task, and how tasks travel: several together, no more bytes
/// at a time than the other end keeps up with.
///
/// Whoever owns it says which node gets a task, and is told what becomes of it,
/// once: it is settled, given back, or lost with its node. Contents are the
/// owner's.
///
/// Time:    see `node_sessions`.
/// Cost:    O(log tasks + log nodes) for each task and each letter, wherever
///          there are; `flush` costs that for each node that something waits
///          for, and nothing for the others.
/// Threads: one at a time.
/// Errors:  letters of sessions that are over, and ends of tasks that the node
///          does not have, change nothing but `strays`.
class pool_end {
public:
  // -- decisions --------------------------------------------------------------

  /// The letter goes by that connection, with the contents of its tasks.
  struct deliver {
    /// Connection to send by.
    connection_number to{};
    /// Letter to send.
    letter_to_node letter;
  };

  /// The node serves, and can be given so many tasks; none at first.
  struct admit {
    /// Session of the node.
    worker_number session{};
    /// Connection of the node.
    connection_number by{};
  };

  /// The maximum number of tasks of the node has changed.
  struct resize {
    /// Session of the node.
    worker_number session{};
    /// Maximum number of tasks that the node has at a time.
    std::size_t window = 0;
  };

  /// The node gets no more tasks.
  struct dismiss {
    /// Session of the node.
    worker_number session{};
    /// Whether it has not said bye.
    bool is_lost = false;
  };

  /// What has become of a task.
  enum class fate : std::uint8_t {
    completed,
    /// Its handler has not survived it.
    crashed,
    /// Its node is lost, and begins it no more: it may have begun.
    lost,
    /// It has not begun, and does not.
    given_back,
    /// The same, since the node cannot read its content.
    unread,
  };

  /// The node has the task no more.
  struct release {
    /// Number of the task.
    task_number task{};
    /// How the node has disposed of the task.
    fate how = fate::completed;
  };

  /// A decision, which the caller carries out.
  using decision = std::variant<deliver, admit, resize, dismiss, release>;

  /// Makes the end of a pool without nodes.
  explicit pool_end(const node_terms& how) noexcept
    : how_(how), sessions_(how.lease) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  /// A letter has arrived by that connection, with so many bytes of contents.
  void told(connection_number by, const letter_to_pool& letter,
            std::size_t bytes, instant now);

  /// The connection is no more, and nothing comes by it.
  void closed(connection_number by);

  /// Time has passed.
  void ticked(instant now);

  /// The node, which serves, is to have the task, which is new; with
  /// `may_run_again`, it is told to be lost when the node begins nothing more,
  /// otherwise as soon as the node cannot be reached. Returns false if the node
  /// gets no more tasks.
  bool submitted(task_number task, worker_number to, std::size_t bytes,
                 bool may_run_again, instant now);

  /// Nobody waits any more for the task, which was submitted to that node: it
  /// is given back if it has not begun.
  ///
  /// Cost: O(tasks that wait to be sent to the node).
  void unwanted(task_number task, worker_number at, instant now);

  /// The pool has no use for that node any more, which is told. What the node
  /// has is lost.
  void expelled(worker_number session);

  // -- questions --------------------------------------------------------------

  /// Whether something waits for more to travel with.
  bool has_to_flush() const noexcept {
    return !to_flush_.empty();
  }

  /// When `flush` is to be called at the latest, and if there is nothing better
  /// to do then; `never` if nothing waits. At once, but that short tasks wait
  /// for others while their node has enough to do: until it tells of results,
  /// and as long as they travel anyway.
  instant flush_at() const noexcept {
    return flush_at_;
  }

  /// Sends what waits, as far as credit allows.
  void flush(instant now);

  /// When to tell the time, if ever.
  instant next_tick() const noexcept {
    return sessions_.next_tick();
  }

  /// How many letters, and ends of tasks, counted for nothing.
  std::uint64_t strays() const noexcept {
    return strays_;
  }

  /// How many bytes are under way to the node.
  std::uint64_t under_way(worker_number session) const noexcept;

  /// How fast contents get to the node, in bytes a second; 0 if that has not
  /// shown yet.
  double bandwidth(worker_number session) const noexcept;

  /// The tasks that the node has, or that are on their way.
  std::size_t in_flight(worker_number session) const noexcept;

  /// What the node has said that it wants, as far as it gets that; none if it
  /// gets no tasks.
  std::optional<demand> wants(worker_number session) const noexcept;

  /// Returns the sessions of the nodes.
  const node_sessions& sessions() const noexcept {
    return sessions_;
  }

  /// Returns which node has which task.
  const pool_side& books() const noexcept {
    return books_;
  }

  /// The decisions to carry out, in this order; the caller clears them.
  std::vector<decision>& decisions() noexcept {
    return decisions_;
  }

private:
  struct parcel {
    task_number task{};
    std::size_t bytes = 0;
  };

  struct node {
    explicit node(connection_number connection, std::size_t limit) noexcept
      : by(connection), credit(limit), receipts(limit) {
      // nop
    }

    connection_number by;
    byte_credit credit;
    byte_receipts receipts;
    demand wants;
    std::deque<parcel> out;            // waits to be sent
    std::vector<task_number> unwanted; // that it is to be told
    bool has_told = false; // of results, since it was sent something
    link_rate rate;
    mean_bytes bytes;
    bool was_asked = false; // to give tasks back
    duration ahead{0};      // by which `by_work_` has it; 0: it has not
  };

  using node_iterator = std::map<worker_number, node>::iterator;

  /// How long the last of a node's tasks waits there.
  struct work_ahead {
    duration time;
    worker_number session;
  };

  /// Orders nodes by who is to share: the most work first, then the oldest.
  struct has_more_work {
    bool operator()(const work_ahead& x, const work_ahead& y) const noexcept {
      return x.time != y.time ? x.time > y.time : x.session < y.session;
    }
  };

  void take(worker_number from, const tasks_done& done, instant now);
  void take(worker_number from, const steal_granted& granted, instant now);
  void take(worker_number from, const steal_refused& refused, instant now);
  void take(worker_number from, const demand& wanted, instant now);
  void take(worker_number from, const receipt& confirmed, instant now);
  void take(worker_number from, const unread& refused, instant now);

  void carry_out_sessions(fate at_end = fate::lost);
  void let_in(worker_number session);
  void let_out(worker_number session, bool is_lost);
  void carry_out_books(fate how);
  void release_task(task_number task, fate how);
  void receive(worker_number from, std::size_t bytes);

  duration time_to_wait(worker_number session, const node& at) const noexcept;
  void flush_later(node_iterator to, instant at);
  void ship_if_due(node_iterator to, instant now);
  void ship(node_iterator to, instant now);
  void tell_unwanted(node_iterator to);
  duration work_to_share(worker_number session, const node& at) const noexcept;
  void rank(node_iterator which);
  std::size_t share_for(const node& thief, worker_number victim,
                        const node& at) const noexcept;
  void have_shared(worker_number thief);

  const node_terms how_;
  node_sessions sessions_;
  pool_side books_;
  std::map<worker_number, node> nodes_; // that get tasks
  std::set<worker_number> to_flush_;    // of which some may have gone
  instant flush_at_ = never;
  std::set<work_ahead, has_more_work> by_work_; // nodes that could share
  std::uint64_t strays_ = 0;
  std::vector<decision> decisions_;
};

} // namespace libpool
