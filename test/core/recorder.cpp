#include "libpool/core/recorder.hpp"

#include "libpool/core/task.hpp"
#include "libpool/core/worker.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

using namespace std::chrono_literals;

using libpool::instant;
using libpool::outcome;
using libpool::recorder;

namespace {

constexpr libpool::worker_number worker{3};

struct numbered_task : libpool::task {
  explicit numbered_task(std::uint64_t n, const libpool::flow_key& of = {}) {
    number = n;
    flow = libpool::flow_ref{of};
  }
};

void run(recorder& on, std::uint64_t number, libpool::duration ended,
         const libpool::flow_key& flow = {}) {
  numbered_task task{number, flow};
  task.accepted = instant{};
  task.started = instant{1ms};
  on.ran(task, worker, instant{ended}, outcome::completed, {});
}

/// Seconds from `first` to `last`, with a run that ends in each.
void run_each(recorder& on, std::uint64_t first, std::uint64_t last) {
  for (auto i = first; i <= last; ++i)
    run(on, i, std::chrono::seconds{i});
}

std::vector<std::uint64_t> numbers(const libpool::recording& of) {
  std::vector<std::uint64_t> result;
  for (const auto& each : of.runs)
    result.push_back(each.task);
  return result;
}

using list = std::vector<std::uint64_t>;

} // namespace

TEST_CASE(
  "a recorder keeps the last runs, and counts the runs that it has discarded") {
  recorder r{{1h, 3, 10}};
  run_each(r, 1, 5);
  auto all = r.since(instant{}, instant{5s});
  CHECK(numbers(all) == list{3, 4, 5});
  CHECK(all.forgotten == 2);
  CHECK(numbers(r.since(instant{5s}, instant{5s})) == list{5});
}

TEST_CASE("a recording states the time since which it contains all runs") {
  recorder r{{1h, 3, 10}, instant{2s}};
  CHECK(r.since(instant{1s}, instant{9s}).since == instant{2s});
  CHECK(r.since(instant{4s}, instant{9s}).since == instant{4s});
  run_each(r, 3, 7);
  CHECK(r.since(instant{1s}, instant{9s}).since == instant{4s});
  CHECK(r.since(instant{1s}, instant{1h + 6s}).since == instant{6s});
}

TEST_CASE("a recorder discards runs that are older than its maximum age") {
  recorder r{{2s, 100, 10}};
  run_each(r, 1, 5);
  CHECK(numbers(r.since(instant{}, instant{6s})) == list{4, 5});
  CHECK(r.since(instant{}, instant{6s}).forgotten == 3);
}

TEST_CASE(
  "flows of runs have names, and flows beyond the limit share one name") {
  recorder r{{1h, 100, 3}};
  for (const auto* name : {"a", "b", "a", "c", "d", "b", ""})
    run(r, 1, 1s, libpool::flow_key{name});
  auto all = r.since(instant{}, instant{2s});
  std::vector<std::string> names;
  for (const auto& each : all.runs)
    names.push_back(all.flows[each.flow]);
  CHECK(names
        == std::vector<std::string>{"a", "b", "a", "(others)", "(others)", "b",
                                    ""});
}

TEST_CASE(
  "kinds of runs have names, and kinds beyond the limit share one name, "
  "but not with the runs whose kind is unknown") {
  recorder r{{1h, 100, 3}};
  for (const std::string name : {"a", "", "b", "a", "c", "d"}) {
    numbered_task task{1};
    task.own_notes().kind_name = name.empty() ? nullptr : &name;
    r.ran(task, worker, instant{1s}, outcome::completed, {});
  }
  auto all = r.since(instant{}, instant{2s});
  std::vector<std::string> names;
  for (const auto& each : all.runs)
    names.push_back(all.kinds[each.kind]);
  CHECK(names
        == std::vector<std::string>{"a", "", "b", "a", "(others)", "(others)"});
}

TEST_CASE(
  "the client of a task takes the place of its flow in a recording, and "
  "is asked for its name once") {
  recorder r{{1h, 100, 3}};
  auto asked = 0;
  auto number = [&](std::uint64_t id) {
    return r.client_number(id, [&] {
      ++asked;
      return "actor " + std::to_string(id);
    });
  };
  for (auto id : {12U, 13U, 12U, 14U, 15U}) {
    numbered_task task{1};
    task.own_notes().recorded_client = number(id);
    r.ran(task, worker, instant{1s}, outcome::completed, {});
  }
  auto all = r.since(instant{}, instant{2s});
  numbered_task open{2, libpool::flow_key{"a"}};
  CHECK(r.add_open(open, number(13), libpool::never, nullptr, all));
  std::vector<std::string> names;
  for (const auto& each : all.runs)
    names.push_back(all.flows[each.flow]);
  CHECK(names
        == std::vector<std::string>{"actor 12", "actor 13", "actor 12",
                                    "(others)", "(others)"});
  CHECK(all.flows[all.open[0].flow] == "actor 13");
  CHECK(asked == 3);
}

TEST_CASE("a cancelled task that never ran is recorded with the reason of the "
          "cancellation and with its trace") {
  recorder r{{1h, 100, 3}};
  std::string trace = "00-0af7-b7ad-01";
  numbered_task task{7};
  task.accepted = instant{1ms};
  task.own_notes().trace = &trace;
  r.dropped(task, instant{5ms}, outcome::cancelled,
            libpool::errc::deadline_exceeded);
  auto all = r.since(instant{}, instant{5ms});
  REQUIRE(all.runs.size() == 1);
  CHECK(!all.runs[0].worker);
  CHECK(all.runs[0].started == libpool::never);
  CHECK(all.runs[0].ended == instant{5ms});
  CHECK(all.runs[0].why == libpool::errc::deadline_exceeded);
  CHECK(all.runs[0].trace == trace);
}

TEST_CASE(
  "the maximum number of runs also limits the open tasks of a recording") {
  recorder r{{1h, 2, 10}};
  run(r, 1, 5ms, libpool::flow_key{"a"});
  auto all = r.since(instant{}, instant{9ms});
  CHECK(all.taken == instant{9ms});
  libpool::worker on;
  on.number = worker;
  numbered_task task{2, libpool::flow_key{"b"}};
  task.accepted = instant{2ms};
  task.on = &on;
  const std::string kind = "job";
  CHECK(r.add_open(task, 0, instant{3ms}, &kind, all));
  task.number = 3;
  CHECK(r.add_open(task, 0, libpool::never, nullptr, all));
  task.number = 4;
  CHECK(!r.add_open(task, 0, libpool::never, nullptr, all));
  CHECK(numbers(all) == list{1});
  REQUIRE(all.open.size() == 2);
  CHECK(all.open[0].task == 2);
  CHECK(all.open[0].worker == worker);
  CHECK(all.open[0].started == instant{3ms});
  CHECK(all.open[0].ended == libpool::never);
  CHECK(all.flows[all.open[0].flow] == "b");
  CHECK(all.kinds[all.open[0].kind] == "job");
  CHECK(!all.open[1].worker);
  CHECK(all.open[1].started == libpool::never);
}

TEST_CASE("the first flow of a recording has its name, also the flow 0") {
  recorder r{{1h, 3, 10}};
  run(r, 1, 1s, libpool::flow_key{0});
  auto all = r.since(instant{}, instant{5s});
  CHECK(all.flows.at(all.runs.at(0).flow) == "0");
}
