/// The sessions of a pool's nodes, and what becomes of the tasks of nodes. What
/// holds for every course of a session is searched in test/laws/node_links.cpp.

#include "link_ends.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace nodes_node_connections_tests {

using namespace test::link_ends;

// -- sessions -----------------------------------------------------------------

TEST_CASE_FIXTURE(pool_end, "a node is admitted once, when it is ready over "
                            "its own connection, and gets as many tasks as it "
                            "demands, at most what the pool allows") {
  CHECK(pool.next_tick() == never);
  CHECK(hello(a, 7, 1) == "1:welcome ");
  CHECK(told(b, first, libpool::ready{first}).empty());
  CHECK(!pool.submitted(task_number{1}, first, 0, false, at(0ms)));
  CHECK(told(a, first, libpool::ready{first}) == "admit1 ");
  CHECK(told(a, first, libpool::ready{first}).empty());
  CHECK(told(a, first, libpool::demand{4, 2, 0ms, 0ms}) == "resize1=4 ");
  CHECK(told(a, first, libpool::demand{11, 2, 0ms, 0ms}) == "resize1=10 ");
}

TEST_CASE_FIXTURE(one_node, "a newer hello over a connection, or a hello of "
                            "another run, ends the older session and its tasks "
                            "at once") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  SUBCASE("a newer hello") {
    CHECK(hello(a, 7, 2) == "lose1 lost1 lost2 1:welcome ");
  }
  SUBCASE("another run") {
    CHECK(hello(a, 8, 1) == "lose1 lost1 lost2 1:welcome ");
  }
  SUBCASE("after the node was expelled") {
    pool.expelled(first);
    CHECK(decided() == "lose1 lost1 1:bye ");
    CHECK(hello(a, 7, 2) == "lost2 1:welcome ");
  }
  CHECK(pool.sessions().sessions().size() == 1);
}

TEST_CASE_FIXTURE(one_node, "a hello that arrives after a newer one, or twice, "
                            "is ignored") {
  CHECK(hello(a, 7, 1).empty());
  hello(a, 7, 3);
  CHECK(hello(a, 7, 2).empty());
  CHECK(pool.sessions().sessions().count(second) == 1);
}

TEST_CASE_FIXTURE(one_node, "a node is present after a question when it has "
                            "heard the answer to a beat that came later") {
  auto says = [&](std::chrono::milliseconds sent,
                  std::chrono::milliseconds deaf) {
    told(a, first, libpool::beat{first, at(sent), deaf});
  };
  says(10ms, 10ms);
  auto question = pool.ask_presence();
  CHECK(!pool.sessions().is_present(first, question));
  says(20ms, 10ms); // answers the beat before the question
  says(30ms, 20ms); // on its way since before the answer
  CHECK(!pool.sessions().is_present(first, question));
  says(40ms, 20ms); // has heard the answer to the beat of 20 ms
  CHECK(pool.sessions().is_present(first, question));
  CHECK(!pool.sessions().is_present(first, pool.ask_presence()));
  hello(a, 7, 2);
  CHECK(!pool.sessions().is_present(first, question));
  CHECK(!pool.sessions().is_present(second, question));
}

TEST_CASE_FIXTURE(one_node, "message batches of a session over another "
                            "connection are strays") {
  submit(1);
  CHECK(done(b, first, {1}).empty());
  CHECK(told(b, first, libpool::given_back{false, {task_number{1}}}).empty());
  CHECK(told(b, first, libpool::unread{task_number{1}, "forged"}).empty());
  CHECK(told(b, first, libpool::demand{9, 9, 0ms, 0ms}).empty());
  CHECK(told(b, first, libpool::receipt{9}).empty());
  CHECK(pool.strays() == 5);
  CHECK(told(b, first, libpool::bye{first}, 0, 3s) == "2:gone ");
  CHECK(beats(b, first, 3s) == "2:gone ");
  CHECK(pool.sessions().sessions().at(first).heard == at(0ms));
  CHECK(done(a, first, {1}) == "completed1 ");
}

// -- silence ------------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "if a node is silent for a lease, its sent tasks "
                            "are lost, and its unsent tasks come back") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "lose1 given_back3 lost1 lost2 ");
  CHECK(pool.next_tick() == never);
  pool.expelled(first);
  CHECK(decided().empty());
}

TEST_CASE_FIXTURE(
  one_node, "a node that is silent for less than a lease is kept, however "
            "often, and any message ends its silence") {
  auto time = 3900ms;
  for (; time < 60s; time += 3900ms) {
    tick_until(time);
    CHECK(beats(a, first, time) == "1:beat ");
  }
  told(a, first, libpool::resend{}, 0, time);
  CHECK(pool.strays() == 0);
  CHECK(tick_until(time + 3900ms).empty());
  CHECK(tick_until(time + 5s) == "lose1 ");
}

TEST_CASE_FIXTURE(one_node, "a node that has received no answer for two leases "
                            "is given up, even if its beats arrive") {
  auto is_deaf_at = [this](milliseconds time) {
    tick_until(time);
    return told(a, first, libpool::beat{first, at(time), time}, 0, time);
  };
  for (auto time = 0ms; time < 8s; time += 1s)
    CHECK(is_deaf_at(time) == "1:beat ");
  for (auto time = 8s; time < 11s; time += 1s)
    CHECK(is_deaf_at(time).empty());
  CHECK(tick_until(11s) == "lose1 ");
}

TEST_CASE_FIXTURE(
  one_node, "a node continues to serve if the program of the pool was "
            "suspended and could not answer the signs of life of the node") {
  pool.ticked(at(1h));
  CHECK(told(a, first, libpool::beat{first, at(1h), 1h}, 0, 1h) == "1:beat ");
}

TEST_CASE_FIXTURE(one_node,
                  "a pool whose tick comes late listens for a quarter "
                  "of a lease before it gives a silent node up") {
  tick_until(3s);
  pool.ticked(at(10s)); // due after 4 s
  CHECK(decided().empty());
  SUBCASE("when the node stays silent") {
    pool.ticked(at(10'999ms));
    CHECK(decided().empty());
    pool.ticked(at(11s));
    CHECK(decided() == "lose1 ");
  }
  SUBCASE("when the node is heard") {
    beats(a, first, 10'500ms);
    CHECK(tick_until(14s).empty());
  }
  SUBCASE("unless the next tick comes late, too") {
    pool.ticked(at(20s));
    CHECK(decided() == "lose1 ");
  }
}

TEST_CASE_FIXTURE(
  one_node, "a pool whose ticks are always late still gives up silent nodes") {
  for (auto i = 1; i <= 4 && pool.sessions().sessions().size() == 1; ++i)
    pool.ticked(at(i * 1900ms)); // due after one second each
  CHECK(decided() == "lose1 ");
}

TEST_CASE_FIXTURE(
  one_node,
  "a late tick does not move the last message of a node into the future") {
  beats(a, first, 9s);
  pool.ticked(at(10s));
  CHECK(pool.sessions().sessions().at(first).heard == at(10s));
}

// -- the end of a session -----------------------------------------------------

TEST_CASE_FIXTURE(
  one_node, "the unsent tasks of an expelled node come back, and its sent "
            "tasks are lost at once, or after a lease if they may be retried") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  pool.expelled(first);
  CHECK(decided() == "lose1 given_back3 lost1 1:bye ");
  pool.expelled(first);
  CHECK(decided().empty());
  CHECK(!pool.submitted(task_number{4}, first, 0, false, at(0ms)));
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "lost2 ");
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "each beat of an expelled node is answered by a "
                            "bye and does not extend its lease, its bye is "
                            "answered, and its results are strays") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  pool.expelled(first);
  decided();
  for (auto time : {1s, 2s, 3s}) {
    tick_until(time);
    CHECK(beats(a, first, time) == "1:bye ");
  }
  CHECK(done(a, first, {1, 2}).empty());
  CHECK(pool.strays() == 1);
  CHECK(told(a, first, libpool::bye{first}) == "1:gone ");
  CHECK(tick_until(4s) == "lost2 ");
  CHECK(beats(a, first, 5s) == "1:gone ");
}

TEST_CASE_FIXTURE(
  one_node, "a node that sends bye is dismissed, and its tasks are given back; "
            "its further messages are answered with gone") {
  submit(1);
  submit(2, first, 0, true);
  CHECK(told(a, first, libpool::bye{first})
        == "dismiss1 given_back2 given_back1 1:gone ");
  CHECK(told(a, first, libpool::bye{first}) == "1:gone ");
  CHECK(beats(a, first, 30ms) == "1:gone ");
}

// -- ends of tasks ------------------------------------------------------------

TEST_CASE_FIXTURE(
  one_node,
  "the end of a task that the node does not have is a stray, as each message "
  "batch of a session that has ended, or is not ready") {
  submit(1);
  CHECK(done(a, first, {2, 1, 1}) == "completed1 ");
  CHECK(pool.strays() == 2);
  submit(3);
  hello(b, 8, 1);
  CHECK(done(b, second, {3}).empty());
  CHECK(pool.strays() == 3);
  tick_until(4s);
  CHECK(told(a, first, libpool::demand{4, 1, 0ms, 0ms}).empty());
  CHECK(done(a, first, {3}).empty());
  CHECK(pool.strays() == 5);
}

TEST_CASE_FIXTURE(one_node, "a task that its node gives back, or cannot read, "
                            "comes back once, if the node has it") {
  for (std::uint64_t task : {1U, 2U, 3U})
    submit(task);
  flush();
  const libpool::given_back twice{false, {task_number{1}, task_number{1}}};
  CHECK(told(a, first, twice) == "given_back1 ");
  CHECK(told(a, first, twice).empty());
  CHECK(told(a, first, libpool::given_back{true, {task_number{9}}}).empty());
  const libpool::unread unknown{task_number{2}, "unknown type"};
  CHECK(told(a, first, unknown) == "unread2 ");
  CHECK(told(a, first, unknown).empty());
  CHECK(done(a, first, {3}) == "completed3 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node is told which tasks no client waits for and which "
                  "tasks the pool wants back, and gives back those that have "
                  "not started") {
  submit(1);
  submit(2);
  submit(3);
  flush();
  pool.cancel(task_number{1}, first, at(0ms));
  pool.cancel(task_number{3}, first, at(0ms));
  CHECK(pool.flush_at() == at(0ms));
  pool.recalled(task_number{2}, first, at(0ms));
  CHECK(flush() == "1:forget(2) 1:stop(1,3) ");
  CHECK(flush().empty());
  CHECK(told(a, first, libpool::given_back{false, {task_number{3}}})
        == "given_back3 ");
  CHECK(done(a, first, {1}) == "completed1 ");
}

TEST_CASE_FIXTURE(one_node, "a node is asked whether handlers have begun, and "
                            "its answer counts for the tasks that it has") {
  submit(1);
  submit(2);
  flush();
  submit(3);
  pool.asked_begun(task_number{1}, first, at(10ms));
  pool.asked_begun(task_number{2}, first, at(10ms));
  pool.asked_begun(task_number{9}, first, at(10ms));
  pool.asked_begun(task_number{1}, worker_number{9}, at(10ms));
  auto told_to_node = flush();
  CHECK(told_to_node.find("1:ask_begun(1,2) ") != std::string::npos);
  CHECK(told_to_node.find("(9)") == std::string::npos);
  auto before = pool.strays();
  CHECK(told(a, first,
             libpool::begun{{{task_number{1}, 4ms}, {task_number{9}, 1ms}}}, 0,
             10ms)
        == "started1@6 ");
  CHECK(pool.strays() == before + 1);
  CHECK(told(a, first, libpool::begun{{{task_number{2}, -4ms}}}, 0, 10ms)
        == "started2@10 ");
  CHECK(done(a, first, {1}) == "completed1 ");
  CHECK(
    told(a, first, libpool::begun{{{task_number{1}, 4ms}}}, 0, 10ms).empty());
}

TEST_CASE_FIXTURE(one_node, "a task that is not wanted any more is not sent, "
                            "and a node that is gone is not told about it") {
  submit(1);
  submit(2);
  pool.cancel(task_number{2}, first, at(0ms));
  CHECK(decided() == "given_back2 ");
  CHECK(flush().empty());
  pool.expelled(first);
  decided();
  pool.cancel(task_number{1}, first, at(0ms));
  CHECK(flush().empty());
}

} // namespace nodes_node_connections_tests
