/// When a pool sends tasks to a node, and which nodes share their tasks.

#include "link_ends.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace nodes_node_connections_sharing_tests {

using namespace test::link_ends;

// -- portions -----------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "the first task for a node is sent at once, and "
                            "the next tasks with a flush, as a full portion, "
                            "or when the node has no tasks left") {
  CHECK(submit(1) == "1:tasks(1) ");
  CHECK(!pool.has_to_flush());
  CHECK(submit(2).empty());
  CHECK(submit(3).empty());
  CHECK(pool.has_to_flush());
  CHECK(flush() == "1:tasks(2,3) ");
  CHECK(!pool.has_to_flush());
  CHECK(flush().empty());
  submit(4);
  submit(5);
  CHECK(submit(6) == "1:tasks(4,5,6) ");
  submit(7);
  CHECK(done(a, first, {1, 2, 3, 4, 5}).find("tasks") == std::string::npos);
  CHECK(done(a, first, {6}) == "completed6 1:tasks(7) ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a flush sends the collected tasks of all nodes, the oldest session first") {
  joins(b, 8, second);
  submit(1, second);
  submit(2, second);
  submit(3, first);
  submit(4, first);
  CHECK(flush() == "1:tasks(4) 2:tasks(2) ");
}

TEST_CASE("a message batch has at most 64 KiB of contents, unless it has one "
          "content only") {
  pool_end end{true, std::size_t{1} << 20U};
  end.joins(a, 7, first);
  end.submit(1);
  constexpr std::size_t full = 65536;
  CHECK(end.submit(2, first, full + 1) == "1:tasks(2) ");
  CHECK(end.submit(3, first, full - 1).empty());
  CHECK(end.submit(4, first, 1) == "1:tasks(3,4) ");
  CHECK(end.submit(5, first, full - 1).empty());
  CHECK(end.submit(6, first, 2) == "1:tasks(5) 1:tasks(6) ");
}

// -- credit -------------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "contents beyond the credit of a node wait for a "
                            "receipt") {
  CHECK(submit(1, first, 4000) == "1:tasks(1) ");
  submit(2, first, 1000);
  CHECK(flush().empty());
  CHECK(pool.under_way(first) == 4000);
  CHECK(told(a, first, libpool::receipt{903}).empty());
  CHECK(told(a, first, libpool::receipt{904}) == "1:tasks(2) ");
  CHECK(pool.under_way(first) == 4096);
}

TEST_CASE_FIXTURE(one_node, "the bytes of a message batch to a node do not "
                            "exceed the credit of the node") {
  submit(1, first, 96);
  submit(2, first, 2000);
  submit(3, first, 2000);
  CHECK(submit(4, first, 1) == "1:tasks(2,3) ");
}

TEST_CASE_FIXTURE(
  one_node, "a pool confirms received results at each quarter of the credit") {
  submit(1);
  submit(2);
  flush();
  CHECK(done(a, first, {1}, ending::completed, 1023) == "completed1 ");
  CHECK(done(a, first, {2}, ending::completed, 1)
        == "completed2 1:receipt(1024) ");
}

// -- tasks that travel together -----------------------------------------------

TEST_CASE_FIXTURE(busy_node,
                  "a task for a node without a free slot is collected for a "
                  "millisecond after the last ones, whatever tasks take") {
  std::uint64_t task = 3;
  for (auto service : {10us, 10'000us, 0us}) {
    told(a, first, libpool::demand{10, 3, service, 400us});
    submit(task++);
    CHECK(pool.flush_at() == at(0ms) + (task == 4 ? 0ms : 1ms));
    flush();
  }
}

TEST_CASE_FIXTURE(busy_node,
                  "a task is sent at once if the last ones were sent "
                  "a millisecond ago") {
  now = 1ms;
  submit(3);
  CHECK(pool.flush_at() == at(1ms));
}

TEST_CASE_FIXTURE(busy_node,
                  "the first tasks after results are sent together at once") {
  submit(3);
  flush();
  done(a, first, {1});
  submit(4);
  CHECK(pool.flush_at() == at(0ms));
  submit(5);
  CHECK(flush() == "1:tasks(4,5) ");
  submit(6);
  CHECK(pool.flush_at() == at(1ms));
}

TEST_CASE_FIXTURE(busy_node, "results do not release the tasks for a node that "
                             "has a full batch, so that batches stay full") {
  submit(3);
  submit(4);
  flush();
  submit(5);
  done(a, first, {1});
  CHECK(pool.flush_at() == at(1ms));
  done(a, first, {2});
  CHECK(pool.flush_at() == at(0ms));
  CHECK(flush() == "1:tasks(5) ");
}

TEST_CASE_FIXTURE(busy_node, "a collected task is sent when results arrive") {
  submit(3);
  done(a, first, {1});
  CHECK(pool.flush_at() == at(0ms));
}

TEST_CASE("contents of 64 KiB fill a message batch, which is sent at once") {
  test::link_ends::pool_end wide{true, std::size_t{1} << 20U};
  wide.joins(a, 7, first);
  wide.submit(1);
  CHECK(wide.submit(2, first, 65'535).empty());
  CHECK(wide.submit(3, first, 1) == "1:tasks(2,3) ");
  CHECK(wide.submit(4, first, 65'536) == "1:tasks(4) ");
}

// -- bandwidth ----------------------------------------------------------------

TEST_CASE_FIXTURE(
  one_node,
  "the bandwidth of a node is measured by the contents that it has confirmed") {
  CHECK(pool.bandwidth(first) == 0);
  submit(1, first, 2000);
  told(a, first, libpool::receipt{2000}, 0, 2ms);
  CHECK(pool.bandwidth(first) == doctest::Approx(1e6));
  CHECK(pool.bandwidth(second) == 0);
  now = 4ms;
  submit(2, first, 2000);
  flush();
  told(a, first, libpool::receipt{4000}, 0, 5ms);
  CHECK(pool.bandwidth(first) == doctest::Approx(2e6));
}

// -- sharing ------------------------------------------------------------------

TEST_CASE_FIXTURE(two_nodes, "when a node is idle, another node is asked for "
                             "half of its unstarted tasks") {
  CHECK(done(b, second, {6}) == "completed6 1:ask_back(2) ");
  CHECK(
    told(a, first, libpool::given_back{true, {task_number{5}, task_number{4}}})
    == "given_back5 given_back4 ");
}

TEST_CASE("no node is asked for tasks if tasks stay at their nodes") {
  two_nodes apart{10ms, false};
  CHECK(apart.done(b, second, {6}) == "completed6 ");
  CHECK(apart.beats(b, second, 2s) == "2:beat ");
}

TEST_CASE_FIXTURE(two_nodes, "no node is asked for tasks for a paused node") {
  pool.paused(second, true);
  CHECK(done(b, second, {6}) == "completed6 ");
  CHECK(beats(b, second, 1s) == "2:beat ");
  pool.paused(second, false);
  CHECK(beats(b, second, 2s) == "2:beat 1:ask_back(4) ");
}

TEST_CASE_FIXTURE(
  two_nodes,
  "fewer tasks move to an idle node if their contents take long to arrive") {
  // 4 kB take 100 ms to the second node, as long as one task runs. The 5 tasks
  // that wait are assumed to have 2 kB each. Without contents, the second node
  // would get 3 of them.
  submit(7, second, 4000);
  flush();
  told(b, second, libpool::receipt{4000}, 0, 100ms);
  for (std::uint64_t task = 8; task <= 12; ++task)
    submit(task, first, 9000);
  CHECK(done(b, second, {6, 7}) == "completed6 completed7 1:ask_back(2) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node is asked for tasks again after its "
                             "answer, and not before") {
  auto asks_after = [this](std::uint64_t task) {
    submit(task, second);
    return done(b, second, {task});
  };
  done(b, second, {6});
  CHECK(asks_after(7) == "completed7 ");
  told(a, first, libpool::given_back{false, {}});
  CHECK(asks_after(8) == "completed8 ");
  told(a, first, libpool::given_back{true, {}});
  CHECK(asks_after(9) == "completed9 1:ask_back(2) ");
  told(a, first, libpool::given_back{true, {task_number{5}, task_number{4}}});
  CHECK(asks_after(10) == "completed10 1:ask_back(1) ");
}

TEST_CASE("a node is not asked for tasks that start before they could reach "
          "another node") {
  two_nodes far{200ms}; // the last one waits for 400 ms
  CHECK(far.done(b, second, {6}) == "completed6 ");
  two_nodes nearer{199ms};
  CHECK(nearer.done(b, second, {6}) == "completed6 1:ask_back(1) ");
}

TEST_CASE_FIXTURE(two_nodes, "times reported by a node count as at most an "
                             "hour, and as zero if negative") {
  told(a, first, libpool::demand{10, 2, libpool::duration::max(), -1h});
  CHECK(done(b, second, {6}) == "completed6 1:ask_back(3) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node is not asked for tasks if all its tasks "
                             "run, or if it is gone") {
  SUBCASE("all run") {
    told(a, first, libpool::demand{10, 5, 100ms, 10ms});
  }
  SUBCASE("gone") {
    pool.expelled(first);
    decided();
  }
  CHECK(done(b, second, {6}) == "completed6 ");
}

TEST_CASE_FIXTURE(
  two_nodes,
  "the node with the most work ahead is asked first, and then the next one") {
  // 3 tasks ahead that take 200 ms each are more than 4 of 100 ms.
  joins(c, 9, third);
  told(c, third, libpool::demand{10, 1, 200ms, 10ms});
  for (std::uint64_t task = 11; task <= 14; ++task)
    submit(task, third);
  flush();
  CHECK(done(b, second, {6}) == "completed6 3:ask_back(3) ");
  submit(7, second);
  CHECK(done(b, second, {7}) == "completed7 1:ask_back(2) ");
}

TEST_CASE_FIXTURE(two_nodes,
                  "of two nodes with equal work the older one is asked") {
  joins(c, 9, third);
  for (std::uint64_t task = 11; task <= 15; ++task)
    submit(task, third);
  flush();
  CHECK(done(b, second, {6}) == "completed6 1:ask_back(2) ");
}

TEST_CASE_FIXTURE(pool_end, "at a beat of an idle node, another node with an "
                            "unknown service time is asked for tasks that wait "
                            "for as long as it has been silent with tasks") {
  joins(a, 7, first);
  told(a, first, libpool::demand{2, 1, 0ms, 10ms});
  joins(b, 8, second);
  told(b, second, libpool::demand{2, 1, 0ms, 10ms});
  now = 1h;
  submit(1);
  now += 15ms;
  submit(2);
  flush();
  CHECK(beats(b, second, 1h + 20ms) == "2:beat "); // as long as the way
  beats(a, first, 1h + 25ms);
  CHECK(beats(b, second, 1h + 25ms) == "2:beat 1:ask_back(1) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node whose handler runs for longer than the "
                             "mean service time is asked for tasks") {
  told(a, first, libpool::demand{10, 1, 1ms, 10ms});
  done(b, second, {6}); // none is worth the way
  beats(a, first, 500ms);
  CHECK(beats(b, second, 500ms) == "2:beat 1:ask_back(4) ");
}

TEST_CASE_FIXTURE(two_nodes,
                  "no node is asked for tasks at a beat of a node that wants "
                  "no tasks, or at a beat over another connection") {
  done(b, second, {6});
  told(a, first, libpool::given_back{true, {}});
  CHECK(beats(a, second, 500ms).find("ask_back") == std::string::npos);
  told(b, second, libpool::demand{0, 0, 100ms, 10ms});
  CHECK(beats(b, second, 500ms).find("ask_back") == std::string::npos);
}

TEST_CASE_FIXTURE(two_nodes, "an idle node that asks in vain for tasks asks "
                             "less and less often, until it gets a task") {
  done(b, second, {6});
  auto asks = [this](int beat) {
    told(a, first, libpool::given_back{true, {}});
    const milliseconds time{500 + beat};
    beats(a, first, time);
    return beats(b, second, time).find("ask_back") != std::string::npos;
  };
  std::string asked;
  for (auto beat = 0; beat < 12; ++beat)
    asked += asks(beat) ? 'x' : '.';
  CHECK(asked == "x.x...x.....");
  submit(7, second);
  flush();
  told(b, second, libpool::given_back{false, {task_number{7}}});
  CHECK(asks(20));
}

} // namespace nodes_node_connections_sharing_tests
