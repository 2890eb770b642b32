#pragma once

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"
#include "support/watched_order.hpp"
#include "support/watched_placement.hpp"
#include "support/watched_stealing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace test {

/// Something that holds for every dispatcher did not.
struct broken_law : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char* law) {
  if (!holds)
    throw broken_law{law};
}

/// Of a task or worker of the world.
template <class T>
std::size_t known_index_in(const std::deque<T>& all, const T* element) {
  auto result = index_in(all, element);
  require(result < all.size(), "decisions are about tasks and workers");
  return result;
}

/// What a dispatcher is made of, as far as laws depend on it.
struct makeup {
  libpool::limits within;
  libpool::assignment when = libpool::assignment::lazy;
  bool steals = false;
  /// Whether what it costs to do and to move tasks matters for that.
  bool weighs_costs = false;
  /// Whether not every task that might move does: the test has a plan of that.
  bool moves_by_plan = false;
  /// Whether the higher priority goes first, and how long a task waits until it
  /// is lifted by one level.
  bool by_priority = false;
  std::optional<libpool::duration> age_step = std::nullopt;
  /// Whether the order goes by flows, and how many tasks of a flow may wait.
  bool by_flows = false;
  std::optional<std::size_t> queue_limit = std::nullopt;
  /// Whether no two flows ever share a queue.
  bool parts_flows = false;
  /// Whether every task takes one seat.
  bool is_narrow = false;
  /// Whether a task may have to wait for others of its key.
  bool holds_keys = false;
  /// Whether nothing ever separates or reorders the tasks of a key.
  bool keeps_keys = false;

  bool is_stealing_watched() const {
    return when == libpool::assignment::eager && steals && weighs_costs;
  }
};

/// A task since it was submitted, as facts and decisions tell.
struct task_life {
  /// Submitted and not released.
  bool known = false;
  bool settled = false;
  bool begun = false;
  bool recalled = false;
  bool hangs = false;
  /// Its client has cancelled it.
  bool unwanted = false;
  /// Once it is settled.
  libpool::outcome how = libpool::outcome::completed;
  unsigned crashes = 0;
  libpool::instant submitted{};
  /// In whose mailbox it is, if in any.
  std::optional<std::size_t> on;
  /// Of the pool, that it takes there.
  std::size_t seats = 0;
};

/// A worker since it joined.
struct worker_life {
  /// Joined and not dismissed.
  bool known = false;
  /// Retired, or dead.
  bool out = false;
  bool dead = false;
  bool pauses = false;
  std::size_t in_mailbox = 0;
  std::size_t hanging = 0;
};

/// Hears all facts, reads all decisions, and compares what it makes of them
/// with what the dispatcher of a world says. Facts are heard before what came
/// of them is checked.
class dispatcher_witness {
public:
  /// The policies of the world are watched, and cost-aware stealing as well.
  dispatcher_witness(dispatcher_world& of, const makeup& how);

  // -- facts, which are told to the dispatcher too ----------------------------

  void joined(std::size_t task);
  void retired(std::size_t task);
  void left(std::size_t task);
  void paused(std::size_t task);
  void resumed(std::size_t task);

  void submitted(std::size_t one);
  void refused(std::size_t task, libpool::errc why);
  void started(std::size_t task);
  void finished(std::size_t one, libpool::ending how);
  void returned(std::size_t task);
  void cancelled(std::size_t task, libpool::errc why);

  void ticked();
  void closed(libpool::errc why);
  void deserted(libpool::errc why);
  void abandoned(libpool::errc why);
  void dispatched();

  // -- what it knows ----------------------------------------------------------

  const task_life& of_task(std::size_t task) const {
    return tasks_[task];
  }

  const worker_life& of_worker(std::size_t task) const {
    return workers_[task];
  }

  /// Which tasks were sent to which workers, by number, in that order.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sends() const {
    return sends_;
  }

  /// Whether a task may run on a worker, if there is no other.
  bool may_run(std::size_t task, std::size_t one) const;

  /// How often the next tick was a doubling of what a task is taken to cost.
  std::size_t doublings() const {
    return doublings_;
  }

  /// All is settled, released and dismissed, and nothing is linked anywhere.
  void check_the_end() const;

private:
  void change_nothing(const libpool::ledger& before) const;
  void end_crashed(std::size_t task);
  void take_from_mailbox(std::size_t task);

  void read_decisions();
  void read(const libpool::decision& made);
  void sent(std::size_t task, std::size_t one);
  void settled(std::size_t one, const libpool::decision& made);
  void dismissed(std::size_t task);

  void note_idle_workers();
  void check_moves(std::uint64_t steals_before) const;
  void check_exact_tick();
  void check() const;
  void check_task(std::size_t task) const;
  void check_worker(std::size_t task) const;
  void check_books() const;
  void check_next_tick() const;
  void check_is_busy() const;
  void check_reason(std::size_t task, libpool::errc why) const;
  void check_refusal(std::size_t task) const;
  void check_accepted(std::size_t task, std::uint64_t was_unsent,
                      std::size_t were_of_flow);
  void check_nobody_waits_in_vain() const;
  void check_waits_for_a_reason(std::size_t one) const;
  void check_worker_is_used(std::size_t one) const;
  void check_order_of_sends() const;
  void check_order_of_send(const libpool::decision& made) const;
  void check_place(std::size_t what, std::size_t who) const;
  void check_keys(std::size_t task, std::size_t who) const;
  void note_bindings();
  void check_bindings() const;
  void check_binding(std::size_t what, std::size_t who) const;

  void take_seats(std::size_t task, std::size_t one);
  void check_seats() const;
  void check_seats_of(std::size_t task) const;
  void check_flows() const;
  void check_queue_of(std::size_t one) const;
  void check_head_waits_for_a_reason(std::size_t head) const;
  void check_held_waits_for_a_reason(std::size_t what) const;
  void check_flow_is_in_order(std::size_t task) const;
  void check_seated_refusal(std::size_t task) const;
  libpool::errc refusal_of(std::size_t task) const;
  std::size_t all_seats() const;
  std::size_t seats_charged() const;
  std::size_t seats_taken(std::size_t task) const;
  std::size_t waiting_of_flow(std::size_t task) const;
  bool fits(std::size_t task) const;
  bool has_place(std::size_t task) const;
  bool is_wider_than_all(std::size_t task) const;
  std::optional<std::size_t> head() const;

  bool is_lost(std::size_t task) const;
  bool is_unsent(std::size_t task) const;
  bool is_well(std::size_t task) const;
  bool is_fit(std::size_t task) const;
  bool has_room(std::size_t task) const;
  bool has_room(std::size_t one, std::size_t task) const;
  bool may_be_bound(std::size_t task, std::size_t one) const;
  bool is_preferred(std::size_t task, std::size_t one) const;
  bool prefers_somebody(std::size_t task) const;
  bool is_held(std::size_t task) const;
  bool is_tied_to(std::size_t task, std::size_t one) const;
  bool should_move(const libpool::task& task, std::size_t one) const;
  bool goes_before(std::size_t x, std::size_t y) const;
  std::int64_t level_of(std::size_t task) const;
  std::optional<std::size_t> home_of(std::size_t task) const;

  std::uint64_t& number_of(libpool::outcome how) {
    return outcomes_[static_cast<std::size_t>(how)];
  }

  std::uint64_t number_of(libpool::outcome how) const {
    return outcomes_[static_cast<std::size_t>(how)];
  }

  std::uint64_t unsent() const {
    return books().waiting + books().assigned;
  }

  const libpool::ledger& books() const {
    return world_.pool.books();
  }

  dispatcher_world& world_;
  makeup how_;
  watched_order& order_;
  watched_placement& placement_;
  /// Nullptr unless tasks are stolen by what they cost.
  watched_stealing* stealing_;
  std::vector<task_life> tasks_;
  std::vector<worker_life> workers_;

  /// Where tasks were bound before the present fact.
  std::vector<const libpool::worker*> bound_;
  /// Of what has happened, what the present fact has brought about.
  std::vector<libpool::decision> made_;
  std::array<std::uint64_t, 4> outcomes_{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sends_;
  std::uint64_t accepted_ = 0;
  libpool::instant told_time_ = libpool::instant::min();
  /// How many workers have joined: they are numbered as they come.
  std::uint64_t joined_ = 0;
  watched_stealing::idle_workers idle_since_;
  std::size_t doublings_ = 0;
  bool closed_ = false;
  bool abandoned_ = false;
  /// Whether a worker with more than one seat has been there.
  bool some_have_seats_ = false;
};

} // namespace test
