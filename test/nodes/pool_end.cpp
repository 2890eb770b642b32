#include "libpool/nodes/pool_end.hpp"

#include "support/letter_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nodes_pool_end_tests {

using libpool::connection_number;
using libpool::ending;
using libpool::incarnation;
using libpool::instant;
using libpool::pool_end;
using libpool::task_number;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

constexpr connection_number a{1};
constexpr connection_number b{2};
constexpr connection_number c{3};
constexpr worker_number first{1};
constexpr worker_number second{2};
constexpr worker_number third{3};

instant at(std::chrono::milliseconds time) {
  return instant{} + 1h + time;
}

struct in_words {
  static std::string text(std::uint64_t number) {
    return std::to_string(number);
  }

  template <class Id>
  static std::string text(Id number) {
    return text(static_cast<std::uint64_t>(number));
  }

  std::string operator()(const pool_end::deliver& x) const {
    return text(x.to) + ":"
           + std::visit(test::letter_words{}, x.letter.content);
  }

  std::string operator()(const pool_end::admit& x) const {
    return "admit" + text(x.session);
  }

  std::string operator()(const pool_end::resize& x) const {
    return "resize" + text(x.session) + "=" + text(x.window);
  }

  std::string operator()(const pool_end::dismiss& x) const {
    return "dismiss" + text(x.session);
  }

  std::string operator()(const pool_end::release& x) const {
    const std::vector<std::string> names{"completed", "crashed", "lost",
                                         "given_back", "unread"};
    return names[static_cast<std::size_t>(x.how)] + text(x.task);
  }
};

libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = 4s;
  result.portion = 3;
  result.credit = 4096;
  result.most_in_flight = 10;
  return result;
}

struct world {
  /// The decisions since then, in words; letters behind the number of their
  /// connection.
  std::string decided() {
    std::string words;
    for (const auto& each : std::exchange(pool.decisions(), {}))
      words += std::visit(in_words{}, each) + " ";
    return words;
  }

  template <class Message>
  std::string told(connection_number by, worker_number session,
                   const Message& message, std::size_t bytes = 0,
                   std::chrono::milliseconds time = 0ms) {
    pool.told(by, libpool::letter_to_pool{session, message}, bytes, at(time));
    return decided();
  }

  std::string hello(connection_number by, std::uint64_t who,
                    std::uint64_t attempt) {
    return told(by, worker_number{0},
                libpool::hello{incarnation{who}, attempt});
  }

  /// Serves, and tasks take 100 ms there, one at a time.
  void joins(connection_number by, std::uint64_t who, worker_number session,
             libpool::duration round_trip = 10ms) {
    hello(by, who, 1);
    told(by, session, libpool::ready{session});
    told(by, session, libpool::demand{10, 1, 100ms, round_trip});
  }

  std::string done(connection_number by, worker_number session,
                   const std::vector<std::uint64_t>& tasks,
                   ending how = ending::completed, std::size_t bytes = 0) {
    libpool::tasks_done ended;
    for (auto each : tasks)
      ended.ends.push_back({task_number{each}, how});
    return told(by, session, ended, bytes);
  }

  std::string submit(std::uint64_t task, worker_number to = first,
                     std::size_t bytes = 0, bool may_run_again = false) {
    CHECK(pool.submitted(task_number{task}, to, bytes, may_run_again, at(0ms)));
    return decided();
  }

  std::string flush() {
    pool.flush(at(0ms));
    return decided();
  }

  std::string tick_until(std::chrono::milliseconds time) {
    while (pool.next_tick() <= at(time))
      pool.ticked(pool.next_tick());
    return decided();
  }

  pool_end pool{terms()};
};

struct one_node : world {
  one_node() {
    joins(a, 7, first);
  }
};

/// Its tasks take 10 us, two at a time, and the way there and back 400 us.
struct busy_node : world {
  busy_node() {
    joins(a, 7, first);
    told(a, first, libpool::demand{10, 2, 10us, 400us});
    submit(1);
    submit(2);
    flush();
  }

  instant flush_time() const {
    return pool.flush_at();
  }
};

/// The first one has tasks 1 to 5, of which 4 wait for 400 ms; the second one
/// has task 6.
struct two_nodes : one_node {
  explicit two_nodes(libpool::duration round_trip = 10ms) {
    joins(b, 8, second);
    told(a, first, libpool::demand{10, 1, 100ms, round_trip});
    for (std::uint64_t task = 1; task <= 5; ++task)
      submit(task);
    submit(6, second);
    flush();
  }
};

} // namespace

// -- sessions -----------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a node is admitted when it is ready, and gets as many "
                  "tasks as it wants") {
  CHECK(hello(a, 7, 1) == "1:welcome ");
  CHECK(!pool.submitted(task_number{1}, first, 0, false, at(0ms)));
  CHECK(told(a, first, libpool::ready{first}) == "admit1 ");
  CHECK(told(a, first, libpool::demand{4, 2, 0ms, 0ms}) == "resize1=4 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node gets no more tasks than the pool allows any "
                  "node") {
  CHECK(told(a, first, libpool::demand{11, 2, 0ms, 0ms}) == "resize1=10 ");
}

TEST_CASE_FIXTURE(one_node, "a beat comes back by its connection") {
  CHECK(told(a, first, libpool::beat{first, at(0ms)}) == "1:beat ");
}

// -- portions -----------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "a task for a node that has none travels at once, "
                            "and the next ones when the pool is flushed") {
  CHECK(submit(1) == "1:tasks(1) ");
  CHECK(!pool.has_to_flush());
  CHECK(submit(2).empty());
  CHECK(submit(3).empty());
  CHECK(pool.has_to_flush());
  CHECK(flush() == "1:tasks(2,3) ");
  CHECK(!pool.has_to_flush());
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "as many tasks as a portion travel without a "
                            "flush") {
  submit(1);
  submit(2);
  submit(3);
  CHECK(submit(4) == "1:tasks(2,3,4) ");
}

TEST_CASE_FIXTURE(one_node,
                  "what waits for a node travels when that has nothing "
                  "left") {
  submit(1);
  submit(2);
  CHECK(done(a, first, {1}) == "completed1 1:tasks(2) ");
}

TEST_CASE_FIXTURE(one_node, "a flush sends to all nodes for which something "
                            "waits, the oldest session first") {
  joins(b, 8, second);
  submit(1, second);
  submit(2, second);
  submit(3, first);
  submit(4, first);
  CHECK(flush() == "1:tasks(4) 2:tasks(2) ");
}

// -- short tasks --------------------------------------------------------------

TEST_CASE_FIXTURE(busy_node, "a short task waits for others as long as it "
                             "travels, while its node has enough to do") {
  submit(3);
  CHECK(flush_time() == at(0ms) + 400us);
  CHECK(submit(4).empty());
  CHECK(submit(5) == "1:tasks(3,4,5) ");
}

TEST_CASE_FIXTURE(busy_node, "the first tasks after results have come travel "
                             "together, and at once") {
  done(a, first, {1});
  submit(3);
  CHECK(flush_time() == at(0ms));
  submit(4);
  CHECK(flush() == "1:tasks(3,4) ");
  submit(5);
  CHECK(flush_time() == at(0ms) + 400us);
}

TEST_CASE_FIXTURE(busy_node, "a short task that waits travels when results "
                             "come") {
  submit(3);
  done(a, first, {1});
  CHECK(flush_time() == at(0ms));
}

TEST_CASE_FIXTURE(busy_node, "a short task does not wait if its node has a "
                             "free slot, nor one that is not known to be "
                             "short") {
  told(a, first, libpool::demand{10, 3, 10us, 400us});
  submit(3);
  CHECK(flush_time() == at(0ms));
  flush();
  told(a, first, libpool::demand{10, 3, 101us, 400us});
  submit(4);
  CHECK(flush_time() == at(0ms));
  flush();
  told(a, first, libpool::demand{10, 3, 0us, 400us});
  submit(5);
  CHECK(flush_time() == at(0ms));
}

TEST_CASE_FIXTURE(busy_node,
                  "a short task with a large content does not wait") {
  submit(3, first, 4 * 4096);
  CHECK(flush_time() == at(0ms));
}

TEST_CASE_FIXTURE(busy_node, "a short task waits for a millisecond at most") {
  told(a, first, libpool::demand{10, 2, 10us, 1h});
  submit(3);
  CHECK(flush_time() == at(1ms));
}

// -- tasks that nobody wants, or a node cannot read ---------------------------

TEST_CASE_FIXTURE(one_node, "a node is told which tasks nobody wants any more, "
                            "and gives back those that it has not begun") {
  submit(1);
  submit(2);
  submit(3);
  flush();
  pool.unwanted(task_number{1}, first, at(0ms));
  pool.unwanted(task_number{3}, first, at(0ms));
  CHECK(pool.flush_at() == at(0ms));
  CHECK(flush() == "1:forget(1,3) ");
  CHECK(
    told(a, first,
         libpool::steal_granted{libpool::request_number{0}, {task_number{3}}})
    == "given_back3 ");
  CHECK(done(a, first, {1}) == "completed1 ");
}

TEST_CASE_FIXTURE(one_node, "a task that nobody wants any more is not sent") {
  submit(1);
  submit(2);
  pool.unwanted(task_number{2}, first, at(0ms));
  CHECK(decided() == "given_back2 ");
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "nothing is told to a node that is gone of tasks "
                            "that nobody wants") {
  submit(1);
  pool.closed(a);
  decided();
  pool.unwanted(task_number{1}, first, at(0ms));
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "a task that its node cannot read comes back") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  CHECK(told(a, first, libpool::unread{task_number{2}, "unknown type"})
        == "unread2 ");
  CHECK(told(a, first, libpool::unread{task_number{2}, "again"}).empty());
  CHECK(done(a, first, {1}) == "completed1 ");
}

// -- bandwidth ----------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "the bandwidth of a node is that of the contents "
                            "that it has confirmed") {
  CHECK(pool.bandwidth(first) == 0);
  submit(1, first, 2000);
  told(a, first, libpool::receipt{2000}, 0, 2ms);
  CHECK(pool.bandwidth(first) == doctest::Approx(1e6));
  CHECK(pool.bandwidth(second) == 0);
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

TEST_CASE_FIXTURE(one_node, "a portion ends where the credit does") {
  submit(1, first, 96);
  submit(2, first, 2000);
  submit(3, first, 2000);
  CHECK(submit(4, first, 1) == "1:tasks(2,3) ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node is told how many bytes of results have come, "
                  "each quarter of its credit") {
  submit(1);
  submit(2);
  flush();
  CHECK(done(a, first, {1}, ending::completed, 1023) == "completed1 ");
  CHECK(done(a, first, {2}, ending::completed, 1)
        == "completed2 1:receipt(1024) ");
}

// -- ends of tasks ------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "a task whose handler has not survived it has "
                            "crashed, whether it may run again or not") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  CHECK(done(a, first, {1, 2}, ending::crashed) == "crashed1 crashed2 ");
  CHECK(pool.books().tasks().empty());
}

TEST_CASE_FIXTURE(one_node,
                  "the end of a task that the node does not have is a "
                  "stray") {
  submit(1);
  CHECK(done(a, first, {2, 1, 1}) == "completed1 ");
  CHECK(pool.strays() == 2);
}

TEST_CASE_FIXTURE(one_node, "letters of sessions that are over, or not yet "
                            "ready, are strays") {
  submit(1);
  hello(b, 8, 1);
  CHECK(done(b, second, {1}).empty());
  CHECK(pool.strays() == 1);
  pool.closed(a);
  decided();
  CHECK(told(a, first, libpool::demand{4, 1, 0ms, 0ms}).empty());
  CHECK(pool.strays() == 2);
}

// -- losses -------------------------------------------------------------------

TEST_CASE_FIXTURE(one_node, "when a connection closes, its node's tasks are "
                            "given back if unsent, lost if they may not run "
                            "again, and the rest is lost after the lease") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  pool.closed(a);
  CHECK(decided() == "dismiss1 given_back3 lost1 ");
  CHECK(!pool.submitted(task_number{4}, first, 0, false, at(0ms)));
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "lost2 ");
  CHECK(flush().empty());
}

TEST_CASE_FIXTURE(one_node, "when a node is silent for a lease, all its tasks "
                            "are lost but those that are unsent") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  submit(3);
  CHECK(tick_until(3999ms).empty());
  CHECK(tick_until(4s) == "dismiss1 given_back3 lost1 lost2 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a newer hello of a node loses what its older session "
                  "had, at once") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  CHECK(hello(b, 7, 2) == "dismiss1 lost1 lost2 2:welcome ");
}

TEST_CASE_FIXTURE(one_node, "a newer hello loses what may run again of a node "
                            "that was cut off") {
  submit(1, first, 0, true);
  pool.closed(a);
  CHECK(decided() == "dismiss1 ");
  CHECK(hello(b, 7, 2) == "lost1 2:welcome ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node that says bye is dismissed, and what crosses "
                  "that is given back") {
  submit(1);
  submit(2, first, 0, true);
  CHECK(told(a, first, libpool::bye{first})
        == "dismiss1 given_back2 given_back1 ");
}

TEST_CASE_FIXTURE(one_node,
                  "a node that the pool has no use for is told so, and "
                  "what may run again waits for its lease") {
  submit(1);
  submit(2, first, 0, true);
  flush();
  pool.expelled(first);
  CHECK(decided() == "1:bye dismiss1 lost1 ");
  CHECK(tick_until(4s) == "lost2 ");
}

TEST_CASE_FIXTURE(one_node, "the loss of one node is no other one's") {
  joins(b, 8, second);
  submit(1, second);
  pool.closed(a);
  CHECK(decided() == "dismiss1 ");
  CHECK(done(b, second, {1}) == "completed1 ");
}

// -- sharing ------------------------------------------------------------------

TEST_CASE_FIXTURE(two_nodes,
                  "a node that has nothing left has half of the work "
                  "given back that another one has not begun") {
  CHECK(done(b, second, {6}) == "completed6 1:steal(2) ");
  CHECK(told(a, first,
             libpool::steal_granted{libpool::request_number{1},
                                    {task_number{5}, task_number{4}}})
        == "given_back5 given_back4 ");
}

TEST_CASE_FIXTURE(two_nodes, "a node that has nothing left gets less of the "
                             "work whose contents take long to get there") {
  // 4 kB take 100 ms to the second node, as long as one of the tasks: of 5 that
  // wait, and have half as many bytes, it would get 3 if they had none.
  submit(7, second, 4000);
  flush();
  told(b, second, libpool::receipt{4000}, 0, 100ms);
  for (std::uint64_t task = 8; task <= 12; ++task)
    submit(task, first, 4000);
  CHECK(done(b, second, {6, 7}) == "completed6 completed7 1:steal(2) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node is asked for tasks once at a time") {
  done(b, second, {6});
  submit(7, second);
  CHECK(done(b, second, {7}) == "completed7 ");
  told(a, first, libpool::steal_refused{libpool::request_number{1}});
  submit(8, second);
  CHECK(done(b, second, {8}) == "completed8 1:steal(2) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node is asked again when it has given") {
  done(b, second, {6});
  told(a, first,
       libpool::steal_granted{libpool::request_number{1},
                              {task_number{5}, task_number{4}}});
  submit(8, second);
  CHECK(done(b, second, {8}) == "completed8 1:steal(1) ");
}

TEST_CASE("a node is not asked for tasks that begin sooner than they could "
          "come back and go elsewhere") {
  two_nodes far{200ms}; // the last one waits for 400 ms
  CHECK(far.done(b, second, {6}) == "completed6 ");
  two_nodes nearer{199ms};
  CHECK(nearer.done(b, second, {6}) == "completed6 1:steal(1) ");
}

TEST_CASE_FIXTURE(two_nodes, "times that a node tells count as an hour if they "
                             "are longer, and as none if they are below it") {
  told(a, first, libpool::demand{10, 2, libpool::duration::max(), -1h});
  CHECK(done(b, second, {6}) == "completed6 1:steal(3) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node is not asked for tasks that all run") {
  told(a, first, libpool::demand{10, 5, 100ms, 10ms});
  CHECK(done(b, second, {6}) == "completed6 ");
}

TEST_CASE_FIXTURE(two_nodes, "the node that has the most work ahead of it is "
                             "asked, and then the next one") {
  // 3 tasks ahead that take 200 ms each are more than 4 of 100 ms.
  joins(c, 9, third);
  told(c, third, libpool::demand{10, 1, 200ms, 10ms});
  for (std::uint64_t task = 11; task <= 14; ++task)
    submit(task, third);
  flush();
  CHECK(done(b, second, {6}) == "completed6 3:steal(3) ");
  submit(7, second);
  CHECK(done(b, second, {7}) == "completed7 1:steal(2) ");
}

TEST_CASE_FIXTURE(two_nodes, "of two nodes with as much work the oldest is "
                             "asked") {
  joins(c, 9, third);
  for (std::uint64_t task = 11; task <= 15; ++task)
    submit(task, third);
  flush();
  CHECK(done(b, second, {6}) == "completed6 1:steal(2) ");
}

TEST_CASE_FIXTURE(two_nodes, "a node that is gone is not asked") {
  pool.closed(a);
  decided();
  CHECK(done(b, second, {6}) == "completed6 ");
}

} // namespace nodes_pool_end_tests
