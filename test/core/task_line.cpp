#include "libpool/core/task_line.hpp"

#include "libpool/core/restriction.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/core/throttling.hpp"
#include "libpool/core/worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace task_line_tests {

using libpool::goes_before;
using libpool::task;
using libpool::task_heap;
using libpool::task_line;

namespace {

task& add(std::deque<task>& to, std::uint64_t number, std::int64_t rank = 0) {
  auto& result = to.emplace_back();
  result.number = number;
  result.rank = rank;
  return result;
}

std::vector<std::uint64_t> numbers_of(const task_line& line) {
  std::vector<std::uint64_t> result;
  for (const auto* each : line.all())
    result.push_back(each->number);
  return result;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("a line that is destroyed forgets its tasks") {
  std::deque<task> tasks;
  {
    task_line line;
    for (auto number : {2U, 1U})
      line.add(add(tasks, number));
  }
  task_line other;
  for (auto& each : tasks)
    other.add(each);
  CHECK(numbers_of(other) == numbers{1, 2});
}

TEST_CASE("the second task of a line is known if tasks came in order") {
  std::deque<task> tasks;
  task_line line;
  CHECK(line.second() == nullptr);
  line.add(add(tasks, 1));
  CHECK(line.second() == nullptr);
  line.add(add(tasks, 2));
  CHECK(line.second() == &tasks[1]);
}

TEST_CASE("a line agrees with a sorted list, whatever comes and goes") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    libpool::splitmix64 draw{seed};
    std::deque<task> tasks;
    std::vector<task*> model;
    task_line line;
    for (std::uint64_t number = 1; number <= 200; ++number) {
      auto& added = add(tasks, 1 + (number * 7919) % 1000,
                        static_cast<std::int64_t>(draw.next() % 3));
      line.add(added);
      model.push_back(&added);
      if (draw.next() % 3 == 0) {
        auto gone = model.begin()
                    + static_cast<std::ptrdiff_t>(draw.next() % model.size());
        line.remove(**gone);
        model.erase(gone);
      }
      std::sort(model.begin(), model.end(), [](const task* x, const task* y) {
        return goes_before{}(*x, *y);
      });
      REQUIRE(line.size() == model.size());
      if (!model.empty())
        REQUIRE(&line.front() == model.front());
    }
    auto all = line.all();
    CHECK(std::equal(all.begin(), all.end(), model.begin(), model.end()));
  }
}

TEST_CASE("a heap gives its tasks in order, whichever were removed before") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    libpool::splitmix64 draw{seed};
    std::deque<task> tasks;
    task_heap<std::uint64_t, &task::due_slot> heap;
    for (std::uint64_t number = 1; number <= 200; ++number)
      heap.add(add(tasks, number), draw.next() % 100);
    auto left = tasks.size();
    for (auto& each : tasks)
      if (draw.next() % 2 == 0) {
        heap.remove(each);
        --left;
      }
    std::uint64_t last = 0;
    for (; !heap.empty(); --left) {
      REQUIRE(heap.top_key() >= last);
      last = heap.top_key();
      heap.remove(heap.top());
    }
    CHECK(left == 0);
  }
}

TEST_CASE("a heap agrees with a sorted list, in its queue, its heap and both") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    libpool::splitmix64 draw{seed};
    std::deque<task> tasks;
    std::map<std::pair<std::uint64_t, std::uint64_t>, task*> model;
    task_heap<std::uint64_t, &task::due_slot> heap;
    for (std::uint64_t number = 1; number <= 1000; ++number) {
      auto& added = add(tasks, number);
      auto key = draw.next() % 8 < seed % 8 ? draw.next() % number : number;
      heap.add(added, key);
      model.emplace(std::pair{key, number}, &added);
      auto goes = number < 500 ? draw.next() % 4 == 0 : draw.next() % 8 != 0;
      for (auto left = 1 + draw.next() % 2; goes && left > 0 && !model.empty();
           --left) {
        auto gone = draw.next() % 2 == 0
                      ? model.begin()
                      : std::next(model.begin(), static_cast<std::ptrdiff_t>(
                                                   draw.next() % model.size()));
        heap.remove(*gone->second);
        REQUIRE_FALSE(heap.contains(*gone->second));
        model.erase(gone);
      }
      REQUIRE(heap.size() == model.size());
      if (!model.empty())
        REQUIRE(&heap.top() == model.begin()->second);
    }
    auto most = draw.next() % (2 * model.size() + 1);
    auto all = heap.in_order(most);
    REQUIRE(all.size() == std::min<std::size_t>(most, model.size()));
    CHECK(
      std::equal(all.begin(), all.end(), model.begin(),
                 [](const task* x, const auto& y) { return x == y.second; }));
  }
}

TEST_CASE("a heap keeps few entries without tasks, and finds the others") {
  std::deque<task> tasks;
  task_heap<std::uint64_t, &task::due_slot> heap;
  for (std::uint64_t number = 1; number <= 200; ++number)
    heap.add(add(tasks, number), number);
  for (auto& each : tasks)
    if (each.number % 100 != 1 && each.number != 200)
      heap.remove(each);
  CHECK(heap.in_order() == std::vector{&tasks[0], &tasks[100], &tasks[199]});
  CHECK(heap.behind(100) == nullptr);
  heap.remove(tasks[100]);
  heap.remove(tasks[0]);
  CHECK(&heap.top() == &tasks[199]);
}

TEST_CASE("a heap finds the tasks that were added in order by their places") {
  std::deque<task> tasks;
  task_heap<std::uint64_t, &task::due_slot> heap;
  CHECK(heap.behind(0) == nullptr);
  for (auto number : {1U, 2U, 3U})
    heap.add(add(tasks, number), number);
  heap.remove(tasks[1]);
  CHECK(heap.behind(0) == &tasks[0]);
  CHECK(heap.behind(1) == nullptr);
  CHECK(heap.behind(2) == &tasks[2]);
  CHECK(heap.behind(3) == nullptr);
}

TEST_CASE("a task that is used again has the notes and the attempt of a new "
          "one") {
  libpool::restriction where;
  const std::vector<libpool::duration> moves;
  const std::string name;
  task asker;
  libpool::worker asking;
  libpool::flow_gate gate;
  task used;
  auto& notes = used.own_notes();
  notes.width = 2;
  notes.priority = 1;
  notes.where = &where;
  notes.home = libpool::worker_number{1};
  notes.key = 1;
  notes.estimate = libpool::duration{1};
  notes.move = libpool::duration{1};
  notes.moves = &moves;
  notes.asker = &asker;
  notes.asking = &asking;
  notes.trace = notes.kind_name = &name;
  notes.recorded_client = 1;
  notes.gate = &gate;
  notes.crashes = notes.errors = notes.steals = notes.awaited = 1;
  notes.not_before = libpool::instant{};
  auto& attempt = used.own_attempt();
  attempt.began = libpool::instant{};
  attempt.charged = attempt.check_at = libpool::instant{};
  attempt.seats = attempt.seats_there = 3;
  attempt.cpu_time = libpool::duration{1};
  attempt.placed.emplace(1);
  used.forget_notes();
  used.forget_attempt();
  CHECK_FALSE(used.has_notes());
  CHECK_FALSE(used.has_attempt());
  const auto& again = used.own_notes();
  CHECK(again.width == 1);
  CHECK(again.priority == 0);
  CHECK(again.where == nullptr);
  CHECK_FALSE(again.home);
  CHECK_FALSE(again.key);
  CHECK_FALSE(again.estimate);
  CHECK(again.move == libpool::duration{0});
  CHECK(again.moves == nullptr);
  CHECK(again.asker == nullptr);
  CHECK(again.asking == nullptr);
  CHECK(again.trace == nullptr);
  CHECK(again.kind_name == nullptr);
  CHECK(again.recorded_client == 0);
  CHECK(again.gate == nullptr);
  CHECK(again.crashes + again.errors + again.steals + again.awaited == 0);
  CHECK(again.not_before == libpool::never);
  const auto& next = used.own_attempt();
  CHECK(next.began == libpool::never);
  CHECK(next.charged == libpool::instant::min());
  CHECK(next.check_at == libpool::never);
  CHECK(next.seats + next.seats_there == 2);
  CHECK(next.cpu_time == libpool::duration{0});
  CHECK_FALSE(next.placed.has_value());
}

} // namespace task_line_tests
