/// The facts about workers and about the times of tasks that a placement gets.

#include "libpool/core/dispatcher.hpp"
#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using libpool::assignment;
using libpool::measure;
using namespace std::chrono_literals;

namespace {

/// Writes down all facts, and takes the first worker that is offered.
class recording final : public libpool::placement {
public:
  recording(std::string& log, std::optional<measure> wanted)
    : log_(log), measures_(wanted) {
    // nop
  }

  void joined(libpool::worker& worker, libpool::instant) noexcept override {
    note("joined " + name(worker));
  }

  void left(libpool::worker& worker, libpool::instant) noexcept override {
    note("left " + name(worker));
  }

  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    note("offered " + name(worker));
    offered_.push_back(&worker);
  }

  void withdrawn(libpool::worker& worker, libpool::instant) noexcept override {
    note("withdrawn " + name(worker));
    offered_.erase(std::find(offered_.begin(), offered_.end(), &worker));
  }

  void assigned(libpool::worker& worker, libpool::task& task,
                libpool::instant) noexcept override {
    note(name(task) + " assigned to " + name(worker));
  }

  void began(libpool::worker& worker, libpool::task& task,
             libpool::instant now) noexcept override {
    CHECK(task.attempt().began == now);
    CHECK(task.on == &worker);
    note(name(task) + " began at " + ms(now - libpool::instant{}));
  }

  void measured(libpool::worker& worker, libpool::task& task,
                libpool::ending how, libpool::duration cost,
                libpool::instant) noexcept override {
    CHECK(task.on == &worker);
    note(name(task)
         + (how == libpool::ending::crashed ? " crashed" : " completed")
         + " for " + ms(cost));
  }

  void unassigned(libpool::worker& worker, libpool::task& task,
                  libpool::instant) noexcept override {
    note(name(task) + " unassigned from " + name(worker));
  }

  std::optional<measure> measures() const noexcept override {
    return measures_;
  }

  libpool::worker* choose(const libpool::task&,
                          libpool::instant) noexcept override {
    return offered_.empty() ? nullptr : offered_.front();
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return some.front();
  }

private:
  void note(const std::string& fact) {
    log_ += (log_.empty() ? "" : "; ") + fact;
  }

  static std::string name(const libpool::worker& worker) {
    return std::to_string(static_cast<std::uint64_t>(worker.number));
  }

  /// Tasks are named from 0, like those of a world.
  static std::string name(const libpool::task& task) {
    return "task " + std::to_string(task.number - 1);
  }

  static std::string ms(libpool::duration time) {
    return std::to_string(time / 1ms);
  }

  std::string& log_;
  std::optional<measure> measures_;
  std::vector<libpool::worker*> offered_;
};

struct measured_world : test::dispatcher_world {
  explicit measured_world(assignment when, std::optional<measure> wanted,
                          unsigned retries = 0, bool steals = false)
    : dispatcher_world(composed(when, wanted, steals),
                       {9, libpool::overflow::refuse, retries}) {
    // nop
  }

  /// The facts for the placement that the steps cause.
  std::string told(const std::string& steps) {
    log_.clear();
    does(steps);
    return log_;
  }

private:
  libpool::composition composed(assignment when, std::optional<measure> wanted,
                                bool steals) {
    auto result = test::composed(when, steals);
    result.placement = std::make_unique<recording>(log_, wanted);
    return result;
  }

  std::string log_;
};

/// What a placement is told of, when a pool does the steps `then` after the
/// steps `before`. Each task takes 2 ms of processor time.
struct row {
  const char* before;
  const char* then;
  const char* told;
  assignment when = assignment::lazy;
  measure wanted = measure::service_time;
  unsigned retries = 0;
  bool steals = false;
};

void check(const std::vector<row>& all) {
  for (const auto& each : all) {
    CAPTURE(each.before);
    CAPTURE(each.then);
    measured_world w{each.when, each.wanted, each.retries, each.steals};
    w.does(each.before);
    for (auto& task : w.tasks)
      task.own_attempt().cpu_time = 2ms;
    CHECK(w.told(each.then) == each.told);
  }
}

} // namespace

TEST_CASE("a task is assumed to start when it is sent to an idle worker") {
  check({{"join 3, at 3", "submit 2",
          "task 0 assigned to 0; task 0 began at 3; task 1 assigned to 0"},
         {"join, at 1, submit", "return 0, at 4, join 2",
          "task 0 unassigned from 0; left 0; joined 1; offered 1; "
          "task 0 assigned to 1; task 0 began at 4"},
         {"join, submit 2, at 2", "join",
          "joined 1; offered 1; task 1 unassigned from 0; "
          "task 1 assigned to 1; task 1 began at 2",
          assignment::eager, measure::service_time, 0, true}});
}

TEST_CASE("with eager assignment, a task is assumed to start when it is sent, "
          "not when it is assigned") {
  measured_world w{assignment::eager, measure::service_time};
  w.join();
  w.dispatches = false;
  CHECK(w.told("submit 2") == "task 0 assigned to 0; task 1 assigned to 0");
  w.dispatches = true;
  CHECK(w.told("at 3") == "task 0 began at 3");
}

TEST_CASE("a task is assumed to start when the previous task in the mailbox "
          "ends or is returned") {
  check({{"join 3, submit 3, at 4, start 0, at 9", "finish 0",
          "task 0 completed for 5; task 0 unassigned from 0; "
          "task 1 began at 9; offered 0"},
         {"join 2, due 5, submit, at 5, at 6", "return 0",
          "task 0 unassigned from 0; task 1 began at 6; offered 0"},
         {"join 3, submit, due 5, submit, at 5", "return 1",
          "task 1 unassigned from 0; offered 0"}});
}

TEST_CASE("the placement rule is informed if a task does not start at the "
          "assumed time") {
  check({{"join, submit", // it was skipped once
          "at 4, start 0, at 6, start 0, start 0, at 9, finish 0",
          "task 0 began at 4; task 0 began at 6; task 0 completed for 3; "
          "task 0 unassigned from 0; offered 0"},
         {"join, at 2, submit", "start 0", ""},
         {"join 2, submit 2", "at 2, start 1, at 5, finish 0",
          "task 1 began at 2; task 0 began at 5; task 0 completed for 0; "
          "task 0 unassigned from 0; offered 0"},
         {"join 2, submit, start 0, at 3", "crash 0, at 6, start 0, finish 0",
          "task 0 crashed for 3; task 0 unassigned from 0; "
          "task 0 assigned to 0; task 0 began at 3; task 0 began at 6; "
          "task 0 completed for 0; task 0 unassigned from 0",
          assignment::lazy, measure::service_time, 1}});
}

TEST_CASE("service time is measured from the start of a handler to its end, "
          "waiting time from acceptance to start, and processor time as told") {
  check({{"join, at 1, submit, at 3, start 0, at 8", "finish 0",
          "task 0 completed for 5; task 0 unassigned from 0; offered 0"},
         {"at 1, submit, at 2, join, at 5, start 0, at 9", "finish 0",
          "task 0 completed for 4; task 0 unassigned from 0; offered 0",
          assignment::lazy, measure::wait_time},
         {"join, submit, start 0, at 9", "crash 0",
          "task 0 crashed for 2; task 0 unassigned from 0; offered 0",
          assignment::lazy, measure::cpu_time}});
}

TEST_CASE("a task is measured once, at the end of its handler, even if it was "
          "cancelled, and not at all if its handler did not run") {
  check({{"join, due 5, start 0", "at 5, at 8, finish 0, finish 0",
          "task 0 completed for 8; task 0 unassigned from 0; offered 0"},
         {"join, submit, start 0, cancel 0, at 4", "crash 0",
          "task 0 crashed for 4; task 0 unassigned from 0; offered 0"},
         {"join, submit 2", "cancel 1, return 0",
          "task 1 unassigned from 0; withdrawn 0; task 0 unassigned from 0; "
          "left 0",
          assignment::eager}});
}

TEST_CASE("a placement rule that measures nothing is not informed of the "
          "starts and costs of tasks, and needs no clock") {
  for (auto when : {assignment::lazy, assignment::eager}) {
    measured_world w{when, std::nullopt, 1};
    CHECK_FALSE(w.pool.needs().measured);
    CHECK_FALSE(w.pool.needs().is_timed);
    auto told = w.told("join, submit, start 0, crash 0, start 0, start 0, "
                       "finish 0");
    CHECK(told.find("began") == std::string::npos);
    CHECK(told.find(" for ") == std::string::npos);
    CHECK(w.tasks[0].attempt().began == libpool::never);
  }
  measured_world w{assignment::lazy, measure::cpu_time};
  CHECK(w.pool.needs().measured == measure::cpu_time);
  CHECK(w.pool.needs().is_timed);
}
