#pragma once

#include "arrivals.hpp"
#include "books.hpp"
#include "event_log.hpp"
#include "gathers.hpp"
#include "job.hpp"
#include "nodes.hpp"
#include "number_meter.hpp"
#include "scenario.hpp"
#include "sizing.hpp"

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/staffing.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace poolsim {

/// A running simulation: a clock, workers with their mailboxes, and the
/// dispatcher, whose decisions are carried out.
class machine final : private node_owner {
public:
  machine(const scenario& scenario, libpool::composition parts,
          const run_listener& listener);

  /// @pre called once
  result run();

private:
  /// End of a run, unless the run is interrupted.
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
  duration next_tick();
  void happen();
  void dispatch();

  // -- workers ----------------------------------------------------------------

  void prepare_workers();
  void prepare_choices();
  std::optional<duration> next_change() const;
  void change_workers();
  void join(server& server);
  void take_out(server& server);
  void depart(server& server, libpool::ending of_runs);
  void take_back(job& job, server& server, libpool::ending of_run);
  void returned(job& job, server& server);
  void recall(job& job, server& server);
  void start_next(server& server);
  static void send_followers(job& first, server& server);
  void give_followers_back(server& server);
  bool counts_as_waiting(const job& job) const;

  // -- workers that the pool makes
  // ---------------------------------------------

  void prepare(server& server, std::size_t id, std::size_t like);
  libpool::headcount count_workers() const;
  void keep_staffed();
  void make_worker();
  void begin(server& made);
  void join_started();
  void retire_idle();
  libpool::pool_load load() const;
  void scale();
  duration next_sizing();
  void meter_size(duration lasted);
  void close_size(result& result);

  // -- tasks ------------------------------------------------------------------

  void submit_due_arrivals();
  void submit(const arrival& arrival);
  std::size_t make_task(gathered_message& message, std::size_t number,
                        libpool::gather_worker* worker);
  job& new_job(const arrival& arrival, std::size_t id);
  job& empty_job();
  void forget(job& task);
  duration time_of(const job& job, const server& server) const;
  void let_join(job& job);
  duration time_of_run(const job& leader, const server& server) const;
  void note_joined(const job& joiner, const job& leader);
  void start(job& job, server& server);
  void end_due_tasks();
  void complete(job& job);
  void stop(job& job, server& server, task_run::ending ending);
  std::size_t seats_held(const job& job, const server& server) const noexcept;
  void note_answer(job& job);
  static unsigned attempt_at(const job& job);
  bool report_end(job& job);
  bool is_tried_again(job& job);
  void drop_void_ends();

  // -- events of users --------------------------------------------------------

  void carry_out_events();
  void carry_out(const user_event& event);
  void pause(const user_event& event);
  void resume(const user_event& event);
  void cancel(const user_event& event);
  std::vector<server*> workers_of(const user_event& event);
  bool is_quiet(const user_event& event);
  void ask_to_stop(job& job);
  void meter(duration lasted);
  void close_meters(result& result) const;

  // -- nodes ------------------------------------------------------------------

  void admitted(server& session) override;
  void resized(server& session, std::size_t window) override;
  void dismissed(server& session) override;
  void began(job& task, std::size_t node) override;
  bool released(job& task, libpool::node_connections::fate fate) override;
  void ran(const task_run& run) override;
  void recall_from_node(job& task, server& session);
  void have_nodes_happen();
  void let_time_pass(duration until);
  bool is_over();

  // -- decisions --------------------------------------------------------------

  void decide();
  void carry_out();
  void carry_out(const libpool::decision& decision);
  void look(job& job);
  void settle(const libpool::decision& decision);
  void release(job& task);
  void note_end(const job& settled, const libpool::decision& decision);

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
  event_log events_;
  number_meter parked_;
  std::vector<number_meter> parked_of_flows_; // by flow of the scenario
  number_meter retrying_;
  duration now_{0};
  /// Time of the last event.
  duration last_{0};
  std::vector<libpool::flow_ref> flows_;
  std::uint64_t runs_ = 0;
  /// Number of tasks of each group that have asked for a result of the group.
  std::unordered_map<const work*, std::size_t> asked_;
  std::priority_queue<run_end, std::vector<run_end>, std::greater<>> ends_;

  /// Number of workers that have joined.
  std::size_t joined_ = 0;
  /// Workers in the order of their departures, and the number of departures.
  std::vector<std::size_t> departures_;
  std::size_t departed_ = 0;
  /// Workers that serve, in the order in which they joined.
  std::vector<server*> serving_;
  libpool::staffing staffing_;
  std::optional<sizing> sizing_;
  number_meter size_;
  std::vector<std::pair<duration, std::size_t>> sizes_; // by time of change

  // Destroyed from the last member to the first: tasks are linked into workers,
  // and both into the pool.
  std::deque<std::optional<job>> jobs_;
  std::vector<std::size_t> spare_; // slots
  std::deque<libpool::restriction> choices_;
  std::deque<server> servers_;   // of the scenario
  std::deque<server> stand_ins_; // all that were made
  /// Workers that start, with the times at which they have started.
  std::deque<std::pair<duration, server*>> starting_;
  gathers gathers_;
  std::unique_ptr<nodes> nodes_; // nullptr without nodes
  libpool::dispatcher pool_;

  bool carries_out_ = false; // decisions
  std::uint64_t begun_ = 0;  // tasks that nodes have begun and still have
};

} // namespace poolsim
