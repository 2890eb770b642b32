// Figures of pools: structs, each with the one description of its members.

#pragma once

#include "libpool/core/dispatcher_counts.hpp"
#include "libpool/core/figure.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/histogram.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/ledger.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace libpool {

/// Counters and times of one worker, or of all workers together. Times are zero
/// if they are not measured.
struct worker_stats {
  /// Number of completed tasks.
  std::uint64_t completed = 0;
  /// Number of failed tasks, including attempts that were retried.
  std::uint64_t failed = 0;
  /// Sum of the service times of the tasks that have ended.
  duration busy{0};
  /// Mean service time of the tasks that have ended.
  duration mean_service{0};
  /// Longest service time of the tasks that have ended.
  duration max_service{0};
  /// Mean waiting time, from acceptance to start, of the tasks that have ended.
  duration mean_wait{0};
  /// Number of tasks that were taken over from other workers, which had not
  /// begun these tasks.
  std::uint64_t stolen = 0;
};

/// Counters and times of all workers of a pool, including workers that have
/// left.
struct all_workers_stats : worker_stats {
  /// Histogram of waiting times, from acceptance to start; see
  /// `histogram::percentile`.
  histogram waits;
  /// Histogram of service times, from start to end.
  histogram services;
  /// Sum of the waiting times, from acceptance to start.
  duration waited{0};
};

/// Numbers of workers that have left a running pool, by reason. Workers that
/// stop because the pool ends are not counted.
struct departure_counts {
  /// Number of workers that a user removed, or that left because the pool
  /// became smaller.
  std::uint64_t removed = 0;
  /// Number of workers that crashed or were lost with a node.
  std::uint64_t crashed = 0;
  /// Number of workers that ended without a crash, or that gave back messages
  /// without handling them.
  std::uint64_t ended = 0;
};

/// Number of tasks of one flow and kind whose handlers answered with one error.
struct error_answer_stats {
  /// Name of the error: that of an `errc`, of a code of CAF such as
  /// `request_timeout`, or the category and the number of another code.
  std::string name;
  /// Name of the flow; empty if the pool does not know flows.
  std::string flow;
  /// Name of the kind of the message, as in a recording; empty if the pool is
  /// not recorded.
  std::string kind;
  /// Number of tasks.
  std::uint64_t count = 0;
};

/// Limits of one flow, or of all tasks of a pool, that are reached and hold
/// back tasks.
struct limit_stats {
  /// Name of the flow.
  std::string name;
  /// Whether these are the limits of all tasks, and not of a flow.
  bool is_of_pool = false;
  /// Whether a user has paused the flow.
  bool is_paused = false;
  /// Number of waiting tasks that are held back.
  std::uint64_t parked = 0;
  /// Maximum number of tasks at workers, if it is reached; otherwise the
  /// largest number.
  std::uint64_t most_running = std::numeric_limits<std::uint64_t>::max();
  /// Maximum number of tasks that go to workers per second, if that holds back
  /// the next task; otherwise 0.
  double per_second = 0;
};

/// State and counters of a pool without its workers; the base of `pool_stats`.
struct pool_figures : dispatcher_counts {
  /// Number of serving workers: workers that get tasks.
  std::size_t workers = 0;
  /// Number of messages that were refused, including requests.
  std::uint64_t refused = 0;

  // The remaining fields are set for managed pools only.

  /// Time at which these stats were collected.
  instant taken{};
  /// Whether the pool measures times: because the option `measure_times` is
  /// set, or because another option or the policy needs times.
  bool is_timed = false;
  /// Name of the policy, such as `shared_queue`; empty if the user composed the
  /// policy of parts.
  std::string policy = {};
  /// Numbers of tasks in each state, such as waiting or running, and with each
  /// outcome, such as completed or failed.
  ledger tasks = {};
  /// Counters and times of all workers together, including workers that have
  /// left.
  all_workers_stats total = {};
  /// Number of serving workers that have tasks.
  std::size_t busy = 0;
  /// Number of leaving workers: workers that get no more tasks, and have not
  /// ended their last task.
  std::size_t leaving = 0;
  /// Number of serving workers that stand in for stuck workers, or for workers
  /// that wait for their own pool; see `managed_options::stand_ins`.
  std::size_t stand_ins = 0;
  /// Number of workers that the pool wants, without stand-ins: set by users, or
  /// chosen by the pool, see `managed_options::autoscale`. In a pool without a
  /// factory that has this option, the number of workers or nodes that would be
  /// enough.
  std::size_t wanted = 0;
  /// Reason for `wanted`, such as "p95 of waits 80 ms > 20 ms"; empty unless
  /// `managed_options::autoscale` is set.
  std::string wanted_why = {};
  /// Number of tasks that the serving workers can run at the same time.
  std::size_t slots = 0;
  /// Numbers of workers that have left, by reason.
  departure_counts departed = {};
  /// Number of crashed workers that were replaced.
  std::uint64_t restarts = 0;
  /// Value of the field `capacity` if the number of waiting tasks is not
  /// limited.
  static constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  /// Maximum number of waiting tasks; `unlimited` if the number is not limited.
  std::uint64_t capacity = unlimited;
  /// Number of waiting tasks that only particular workers may run.
  std::uint64_t held = 0;
  /// Number of waiting tasks whose flows are paused or have reached their
  /// limits, whether or not a worker is idle.
  std::uint64_t parked = 0;
  /// Number of waiting tasks that wait for the time of a retry.
  std::uint64_t retrying = 0;
  /// Whether a user has paused the pool.
  bool is_paused = false;
  /// Number of tasks whose handlers still run although the tasks are settled,
  /// for example because a deadline has passed.
  std::uint64_t overdue = 0;
  /// Acceptance time of the oldest task that was not sent to a worker, or whose
  /// turn in a lease has not come; `never` without such a task.
  instant oldest_waiting = never;
  /// Start time of the task that has run for the longest time. Only the 64
  /// unfinished tasks that were sent first are considered; `never` if none of
  /// these runs, or if times are not measured.
  instant longest_running = never;
  /// Number of leases so far. A lease is a group of short tasks that a busy
  /// pool sends to a worker together.
  std::uint64_t leases = 0;
  /// Number of messages that are handled by several tasks each, as with
  /// `actor_pool::quorum`.
  std::uint64_t gathered = 0;
  /// Number of messages for which the pool asked one more worker, because the
  /// first worker did not answer in time, see `actor_pool::hedged`.
  std::uint64_t hedged = 0;
  /// Whether the pool intercepts answers, as options such as `deadline`
  /// require. Only then it knows which answers are errors.
  bool sees_answers = false;
  /// Number of completed tasks whose handlers answered with an error, without
  /// answers after which `retry_on` has the task tried again. Unknown, and 0,
  /// if `sees_answers` is false. An error that comes after the handler has
  /// returned counts only with `busy_until::answer`, or if the request has a
  /// deadline; so does the error with which the pool answers at the deadline.
  std::uint64_t error_answers = 0;
  /// Error answers by error, flow and kind, the largest count first. At most 64
  /// combinations, those that were counted last.
  std::vector<error_answer_stats> answered_errors = {};
  /// Number of failed messages of the durable queue of the pool: messages that
  /// have failed for good and are kept, see `durable_options::keep_failed`.
  /// `unlimited` if the pool serves no durable queue, or the number is unknown.
  std::uint64_t failed_messages = unlimited;
  /// Limits and pauses that hold back tasks, those with the most tasks first;
  /// at most 32.
  std::vector<limit_stats> limits = {};
  /// Stats of flows, for example of tenants or clients; at most
  /// `flow_options::top_flows`. Flows with the most waiting messages come
  /// first. Empty unless the policy divides the time of the workers among
  /// flows, as `fair_queuing` does. A flow without tasks is forgotten after
  /// some time, together with its counters.
  std::vector<flow_stats> flows = {};
};

// -- descriptions -------------------------------------------------------------

/// The figures of a `ledger`, the numbers of tasks by state and outcome.
template <>
struct description<ledger> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::ledger",
      gauge("waiting", &ledger::waiting, "tasks",
            "Open tasks by state: waiting, assigned to a worker, sent "
            "to a worker, or running.")
        .by("state"),
      gauge("assigned", &ledger::assigned, "tasks").by("state"),
      gauge("sent", &ledger::sent, "tasks").by("state"),
      gauge("running", &ledger::running, "tasks").by("state"),
      counter("accepted", &ledger::accepted, "tasks_accepted_total",
              "Accepted tasks."),
      counter("completed", &ledger::completed, "tasks_settled_total",
              "Settled tasks, by outcome.")
        .by("outcome"),
      counter("failed", &ledger::failed, "tasks_settled_total").by("outcome"),
      counter("cancelled", &ledger::cancelled, "tasks_settled_total")
        .by("outcome"),
      counter("refused", &ledger::refused).not_in_json());
  }
};

/// The figures of a flow.
template <>
struct description<flow_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::flow_stats", gauge("name", &flow_stats::name),
      gauge("waiting", &flow_stats::waiting, "flow_waiting",
            "Waiting tasks of a flow; only flows with the most "
            "waiting tasks are listed."),
      gauge("running", &flow_stats::running, "flow_running",
            "Tasks of a flow in flight."),
      counter("served", &flow_stats::served, "flow_served_total",
              "Tasks of a flow that were settled and whose handlers have "
              "run; a task that was retried counts once."),
      counter("refused", &flow_stats::refused, "flow_refused_total",
              "Refused tasks of a flow."),
      counter("seat_time", &flow_stats::seat_time).json("seat_s"),
      gauge("lag", &flow_stats::lag, "flow_lag_seconds",
            "Service that a flow should have had by its share and has not "
            "had, in seconds of one seat of a worker; negative if the flow "
            "has had more than its share.")
        .json("lag_ms"),
      counter("waited", &flow_stats::waited, "flow_wait_seconds_total",
              "Total waiting time, from acceptance to the start of the last "
              "attempt, of the served tasks of a flow; its rate divided by the "
              "rate of flow_served_total is the "
              "mean waiting time.")
        .not_in_json(),
      gauge("mean_wait", &flow_stats::mean_wait).json("mean_wait_ms"),
      age("waiting_since", &flow_stats::waiting_since,
          "flow_oldest_waiting_seconds",
          "Waiting time of the next task of a flow; 0 if no task of the "
          "flow waits.")
        .json("waiting_for_s"));
  }
};

/// The figures of error answers with the same error, flow and kind.
template <>
struct description<error_answer_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f("libpool::error_answer_stats",
             gauge("name", &error_answer_stats::name).json("error"),
             gauge("flow", &error_answer_stats::flow),
             gauge("kind", &error_answer_stats::kind),
             counter("count", &error_answer_stats::count));
  }
};

/// The figures of limits.
template <>
struct description<limit_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::limit_stats", gauge("name", &limit_stats::name),
      gauge("is_of_pool", &limit_stats::is_of_pool),
      gauge("is_paused", &limit_stats::is_paused),
      gauge("parked", &limit_stats::parked),
      gauge("most_running", &limit_stats::most_running)
        .null_if(no_value::largest),
      gauge("per_second", &limit_stats::per_second).null_if(no_value::zero));
  }
};

/// The figures of workers. The names in JSON are those of one worker, the
/// metrics those of all workers together.
template <>
struct description<worker_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f("libpool::worker_stats",
             counter("completed", &worker_stats::completed),
             counter("failed", &worker_stats::failed),
             counter("stolen", &worker_stats::stolen, "tasks_stolen_total",
                     "Tasks that workers took over from other workers."),
             counter("busy", &worker_stats::busy, "worker_busy_seconds_total",
                     "Sum of the service times of ended tasks.")
               .not_in_json(),
             gauge("mean_service", &worker_stats::mean_service).json("mean_ms"),
             gauge("max_service", &worker_stats::max_service).json("max_ms"),
             gauge("mean_wait", &worker_stats::mean_wait).not_in_json());
  }
};

/// The figures of all workers together.
template <>
struct description<all_workers_stats> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return description<worker_stats>::visit([&](auto, const auto&... base) {
      return f("libpool::all_workers_stats", base...,
               counter("waits", &all_workers_stats::waits, "task_wait_seconds",
                       "Time from the acceptance of a task to its start.")
                 .with_sum(&all_workers_stats::waited),
               counter("services", &all_workers_stats::services,
                       "task_service_seconds",
                       "Time from the start of a task to its end.")
                 .with_sum(&all_workers_stats::busy),
               counter("waited", &all_workers_stats::waited));
    });
  }
};

/// The figures of workers that have left.
template <>
struct description<departure_counts> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return f(
      "libpool::departure_counts",
      counter("crashed", &departure_counts::crashed, "workers_left_total",
              "Workers that left, by reason: removed, crashed (or lost with "
              "their node), or ended without a crash.")
        .by("reason"),
      counter("removed", &departure_counts::removed, "workers_left_total")
        .by("reason"),
      counter("ended", &departure_counts::ended, "workers_left_total")
        .by("reason"));
  }
};

/// The figures of a pool.
template <>
struct description<pool_figures> {
  /// Calls `f` with the descriptions, as `description` states.
  template <class F>
  static constexpr auto visit(F f) {
    return description<dispatcher_counts>::visit([&](auto,
                                                     const auto&... counts) {
      return visit_workers([&](const auto&... workers) {
        return visit_rest([&](const auto&... rest) {
          return f(
            "libpool::pool_figures",
            gauge("taken", &pool_figures::taken).not_in_json(),
            gauge("is_timed", &pool_figures::is_timed).not_in_json(),
            gauge("policy", &pool_figures::policy), workers...,
            gauge("tasks", &pool_figures::tasks).json(""),
            gauge("held", &pool_figures::held, "tasks_held",
                  "Waiting tasks that only particular workers may run."),
            gauge("parked", &pool_figures::parked, "tasks_parked",
                  "Waiting tasks whose flows are paused or have reached their "
                  "limits."),
            gauge("retrying", &pool_figures::retrying, "tasks_retrying",
                  "Waiting tasks that wait for the time of a retry."),
            gauge("is_paused", &pool_figures::is_paused, "pool_paused",
                  "1 if a user has paused the pool, otherwise 0."),
            gauge("overdue", &pool_figures::overdue, "tasks_overdue",
                  "Settled tasks whose handlers still run."),
            gauge("capacity", &pool_figures::capacity, "task_capacity",
                  "Maximum number of waiting tasks; absent if unlimited.")
              .null_if(no_value::largest),
            counter("refused", &pool_figures::refused), counts...,
            gauge("sees_answers", &pool_figures::sees_answers),
            counter("error_answers", &pool_figures::error_answers,
                    "error_answers_total",
                    "Tasks completed with an error answer; absent if unknown.")
              .unknown_unless(&pool_figures::sees_answers),
            gauge("answered_errors", &pool_figures::answered_errors)
              .not_in_json(),
            gauge(
              "failed_messages", &pool_figures::failed_messages,
              "queue_failed_messages",
              "Messages of the durable queue that have failed for good and are "
              "kept; absent without such a queue.")
              .null_if(no_value::largest),
            rest...);
        });
      });
    });
  }

private:
  template <class F>
  static constexpr auto visit_rest(F f) {
    return f(
      gauge("limits", &pool_figures::limits).not_in_json(),
      counter("restarts", &pool_figures::restarts, "worker_restarts_total",
              "Crashed workers that were replaced."),
      gauge("departed", &pool_figures::departed).json("left"),
      gauge("total", &pool_figures::total).not_in_json(),
      counter("leases", &pool_figures::leases).not_in_json(),
      counter("gathered", &pool_figures::gathered, "gathers_total",
              "Messages that were each handled by several tasks."),
      counter("hedged", &pool_figures::hedged, "hedges_total",
              "Messages that were sent to a second worker because the first "
              "worker did not answer in time."),
      age("oldest_waiting", &pool_figures::oldest_waiting,
          "oldest_waiting_seconds",
          "Age of the oldest task that was not sent to a worker, or 0.")
        .json("oldest_waiting_s"),
      age("longest_running", &pool_figures::longest_running,
          "longest_running_seconds",
          "Time since the start of the task that has run for longest; 0 if "
          "no task runs.")
        .json("longest_running_s"),
      gauge("flows", &pool_figures::flows).not_in_json().by("flow"));
  }

  template <class F>
  static constexpr auto visit_workers(F f) {
    return f(
      gauge("workers", &pool_figures::workers),
      gauge("busy", &pool_figures::busy),
      gauge("leaving", &pool_figures::leaving),
      gauge("stand_ins", &pool_figures::stand_ins, "pool_stand_ins",
            "Workers that stand in for stuck workers, or for workers that "
            "wait for their own pool."),
      gauge("wanted", &pool_figures::wanted, "workers_wanted",
            "Workers that the pool wants, without stand-ins; with autoscale, "
            "also in a pool that cannot make workers itself."),
      gauge("wanted_why", &pool_figures::wanted_why),
      gauge("slots", &pool_figures::slots, "worker_slots",
            "Number of tasks that the workers can run at the same time."));
  }
};

} // namespace libpool
