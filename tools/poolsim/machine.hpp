#pragma once

#include "arrivals.hpp"
#include "books.hpp"
#include "scenario.hpp"

#include "libpool/core/dispatcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace poolsim {

/// A task in the pool.
struct job : libpool::task {
  std::size_t id = 0;
  std::size_t slot = 0;
  arrival from;
  /// Counts the runs of the simulation, from 1; 0: it does not run.
  std::uint64_t run = 0;
};

/// A worker with the mailbox that the dispatcher fills.
struct server : libpool::worker {
  std::size_t id = 0;
  std::size_t free = 1;
  std::uint64_t completed = 0;
  /// Not started, the next one first.
  std::deque<job*> inbox;

  std::size_t seats_for(const job& job) const noexcept {
    return std::min(job.width, seats);
  }

  /// The seats of the pool that the task holds, where the pool counts them, or
  /// of its worker.
  std::size_t seats_held(const job& job) const noexcept {
    return job.seats > 0 ? job.seats : seats_for(job);
  }
};

/// The moving parts of a simulation: a clock, workers that serve their
/// mailboxes, and the dispatcher, which is told the events and has its
/// decisions carried out.
class machine {
public:
  machine(const scenario& scenario, libpool::composition parts,
          const run_listener& listener);

  /// @pre called once
  result run();

private:
  /// When a run ends, unless it is interrupted.
  struct run_end {
    duration at;
    std::uint64_t run;
    std::size_t slot;

    bool operator>(const run_end& other) const {
      return std::tie(at, run) > std::tie(other.at, other.run);
    }
  };

  // -- the clock --------------------------------------------------------------

  std::optional<duration> next_event();
  duration next_tick() const;
  void happen();
  void dispatch();

  // -- workers ----------------------------------------------------------------

  void prepare_workers();
  void prepare_choices();
  std::optional<duration> next_change() const;
  void change_workers();
  void depart(server& server, libpool::ending of_runs);
  void take_back(job& job, server& server, libpool::ending of_run);
  void recall(job& job, server& server);
  void start_next(server& server);

  // -- tasks ------------------------------------------------------------------

  void submit_what_is_due();
  void submit(const arrival& arrival);
  job& new_job(const arrival& arrival);
  duration time_of(const job& job, const server& server) const;
  void start(job& job, server& server);
  void end_what_is_due();
  void complete(job& job);
  void stop(job& job, server& server, task_run::ending how);
  void drop_void_ends();

  // -- decisions --------------------------------------------------------------

  void carry_out();
  void carry_out(const libpool::decision& decision);
  void settle(const libpool::decision& decision);

  // -- the end ----------------------------------------------------------------

  result close(duration end);
  void close_row(const job& job);
  worker_row row_of(const server& server) const;

  libpool::instant now() const noexcept {
    return libpool::instant{now_};
  }

  const scenario& scenario_;
  arrivals arrivals_;
  books books_;
  duration now_{0};
  /// The time of the last event.
  duration last_{0};
  std::vector<libpool::flow_key> flows_;
  std::uint64_t runs_ = 0;
  std::priority_queue<run_end, std::vector<run_end>, std::greater<>> ends_;

  /// How many workers have joined.
  std::size_t joined_ = 0;
  /// Workers in the order in which they go, and how many have gone.
  std::vector<std::size_t> departures_;
  std::size_t departed_ = 0;

  // Goes from below: tasks stay linked into workers, and both into the pool.
  std::deque<std::optional<job>> jobs_;
  std::vector<std::size_t> spare_; // slots
  std::deque<libpool::restriction> choices_;
  std::deque<server> servers_;
  libpool::dispatcher pool_;
};

} // namespace poolsim
