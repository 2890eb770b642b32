/// Pools that handle the messages of a durable queue.

#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/message_functions.hpp"
#include "libpool/nodes/actors/task_result.hpp"
#include "libpool/pool.hpp"
#include "support/listed_queue.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace actors_nodes_durable_tests {

using libpool::errc;
using libpool::outcome;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::nodes_world {
  ~world() {
    for (auto& each : former)
      exit(each, caf::exit_reason::kill);
    former.clear();
    finish();
  }

  void serve(unsigned retries = 0) {
    libpool::detail::serve_queue(pool, {retries, is_failure},
                                 queue.for_front());
    run();
  }

  void make_front() {
    make();
    serve();
  }

  /// Makes a pool in this program, without nodes.
  void make_local(const scripted::script& script, std::size_t workers = 1) {
    pool = libpool::actor_pool::make(
      system(), workers,
      [this, script] { return system().spawn<scripted>(script); },
      libpool::actor_pool::shared_queue(options));
    run();
  }

  template <class... Ts>
  std::string bytes(const Ts&... content) {
    return std::get<std::string>(
      libpool::pack(system(), caf::make_message(content...)));
  }

  template <class... Ts>
  void give(std::uint64_t number, std::uint64_t attempt, const Ts&... content) {
    queue.give(number, bytes(content...), attempt);
    run();
  }

  caf::message result_of(std::uint64_t number) {
    auto found = queue.results.find(number);
    return found != queue.results.end()
             ? libpool::answer_of(system(), found->second)
             : caf::message{};
  }

  bool has_result(std::uint64_t number, int value) {
    auto result = result_of(number);
    return result.match_elements<int>() && result.get_as<int>(0) == value;
  }

  bool has_failed(std::uint64_t number, errc why) {
    auto result = result_of(number);
    return result.match_elements<caf::error>()
           && result.get_as<caf::error>(0) == why;
  }

  /// Makes a front that is lost later. Its tasks are not counted.
  void make_former() {
    auto counted = std::exchange(options.on_settled, nullptr);
    make_front();
    options.on_settled = counted;
  }

  /// Loses the front, but not its nodes, and makes the next one, which gets
  /// them.
  void lose_front() {
    former.push_back(std::exchange(pool, caf::actor{}));
    queue.front = nullptr;
    make_front();
    for (std::size_t i = 0; i < agents.size(); ++i)
      lead_to_pool(i);
    wait(1s);
  }

  /// Returns the name of the error with which the message has failed for good;
  /// empty if it has not.
  std::string failure_of(std::uint64_t number) {
    auto found = queue.failures.find(number);
    return found != queue.failures.end() ? found->second.error : "";
  }

  test::listed_queue queue;
  std::function<bool(const caf::error&)> is_failure;
  std::vector<caf::actor> former;
};

} // namespace

// -- fronts -------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a message of the durable queue is answered, and its "
                         "result is stored, which may be an error, also if the "
                         "result is too large or the message no work") {
  make_local([](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<caf::message> {
      if (x == 0)
        return libpool::make_error(errc::queue_full);
      if (x > 1000)
        return caf::make_message(std::string(static_cast<std::size_t>(x), 'x'));
      return caf::make_message(x + 1);
    }};
  });
  queue.most = 2000;
  serve();
  give(1, 1, 4);
  CHECK(has_result(1, 5));
  give(2, 1, 0);
  CHECK(has_failed(2, errc::queue_full));
  give(3, 1, 5000);
  CHECK(has_failed(3, errc::too_large));
  give(4, 1, caf::sys_atom{}, libpool::drain_atom{});
  CHECK(has_failed(4, errc::not_work));
  queue.give(5, "?");
  run();
  CHECK(has_failed(5, errc::unreadable));
  give(6, 1, 4);
  CHECK(has_result(6, 5));
  CHECK(queue.returned.empty());
}

TEST_CASE_FIXTURE(world, "a message of the durable queue goes back if the pool "
                         "has no room") {
  options.capacity = 1;
  options.busy_until = libpool::busy_until::answer;
  make_local(promising());
  serve();
  for (auto number : {1U, 2U, 3U})
    give(number, 1, 4);
  CHECK(queue.returned == std::vector<std::uint64_t>{3});
  deliver(0, 7);
  CHECK(has_result(1, 7));
}

TEST_CASE_FIXTURE(world, "a message of the durable queue that has crashed a "
                         "worker does not go back if the pool cannot retry") {
  options.on_crash = libpool::retry{1};
  auto crashing = [](scripted&) -> caf::behavior {
    return {[](int) -> int { test::crash(); }};
  };
  SUBCASE("because no worker is left") {
    options.when_empty = libpool::when_empty::refuse;
    make_local(crashing);
    serve();
    give(1, 1, 4);
  }
  SUBCASE("because another message has taken its place") {
    options.capacity = 1;
    options.on_overflow = libpool::overflow::drop_oldest;
    options.when_empty = libpool::when_empty::wait;
    make_local(crashing);
    serve();
    give(1, 1, 4);
    give(2, 1, 4);
  }
  CHECK(has_failed(1, errc::worker_crashed));
  CHECK(queue.returned.empty());
  end_pool();
}

TEST_CASE_FIXTURE(world, "messages of the durable queue are not settled by the "
                         "end of the pool, and the front leaves the queue") {
  SUBCASE("without nodes") {
    make_local(promising());
    serve();
  }
  SUBCASE("with a node") { // the pool cannot tell what the node has begun
    make_front();
    join(promising());
    give(2, 1, 5); // waits
  }
  give(1, 1, 4);
  CHECK(queue.fronts == 1);
  end_pool();
  CHECK(queue.fronts == 0);
  CHECK(queue.results.empty());
  CHECK(queue.returned.empty());
}

TEST_CASE_FIXTURE(world, "messages of the durable queue that ask several "
                         "workers are not settled by the end of the pool") {
  options.busy_until = libpool::busy_until::answer;
  pool = libpool::actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(promising()); },
    libpool::actor_pool::first_success(
      1, libpool::actor_pool::shared_queue(options)));
  serve();
  give(1, 1, 4);
  give(2, 1, 5); // waits
  end_pool();
  CHECK(result_of(2).empty());
  CHECK(queue.returned.empty());
}

TEST_CASE_FIXTURE(world, "a front takes no more messages of the durable queue "
                         "when its pool drains") {
  options.busy_until = libpool::busy_until::answer;
  make_local(promising());
  serve();
  give(1, 1, 4);
  caf::anon_send(pool, caf::sys_atom{}, libpool::drain_atom{});
  run();
  give(2, 1, 5);
  CHECK(queue.is_closed);
  CHECK(queue.returned == std::vector<std::uint64_t>{2});
  deliver(0, 7);
  CHECK(has_result(1, 7));
  CHECK(!has_result(2, 7));
}

TEST_CASE_FIXTURE(world,
                  "a message that has begun in an inner pool does not go "
                  "back to the queue when the inner pool ends") {
  options.busy_until = libpool::busy_until::answer;
  make_local(promising());
  auto inner = pool;
  libpool::managed_options outer;
  outer.busy_until = libpool::busy_until::answer;
  pool = libpool::actor_pool::make(system(),
                                   libpool::actor_pool::shared_queue(outer));
  put(inner);
  serve();
  give(1, 1, 4);
  put(system().spawn<scripted>(promising()));
  exit(inner, caf::exit_reason::user_shutdown);
  run();
  CHECK(queue.returned.empty());
  CHECK(queue.results.size() == 1);
}

TEST_CASE_FIXTURE(world, "a message whose front was lost fails unless it may "
                         "run again") {
  make_local(adding());
  serve(1);
  give(1, 2, 4);
  CHECK(has_result(1, 5));
  give(2, 3, 4);
  CHECK(has_failed(2, errc::front_lost));
}

TEST_CASE_FIXTURE(world, "each client of the durable queue is one sender") {
  options.busy_until = libpool::busy_until::answer;
  pool = libpool::actor_pool::make(
    system(), 1, [this] { return system().spawn<scripted>(adding()); },
    libpool::actor_pool::fair_queuing({}, options));
  run();
  serve();
  for (auto number : {1U, 2U, 3U})
    queue.give(number, bytes(static_cast<int>(number)), 1, "alice");
  queue.give(4, bytes(4), 1, "bob");
  run();
  CHECK(handled == std::vector<int>{1, 4, 2, 3});
}

// -- failed messages ----------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a message of the durable queue has failed for good if "
                  "its result is an error of libpool") {
  options.on_crash = libpool::fail{};
  options.restart.max = 9;
  make_local([](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
              if (x == 0)
                test::crash();
              return x == 1 ? caf::error{caf::sec::invalid_argument}
                            : caf::error{errc::timeout};
            },
            [](const std::string& x) { return x; }};
  });
  queue.most = 2000;
  serve();
  give(1, 1, 0);
  CHECK(failure_of(1) == "worker_crashed");
  wait(1s); // for a replacement
  give(2, 1, 2);
  CHECK(failure_of(2) == "timeout"); // of a pool that the handler asked
  give(3, 2, 1);
  CHECK(failure_of(3) == "front_lost");
  CHECK(queue.failures.at(3).attempts == 2);
  queue.give(4, "?");
  run();
  CHECK(failure_of(4) == "unreadable");
  CHECK(queue.failures.at(4).kind.empty());
  give(5, 1, caf::sys_atom{}, libpool::drain_atom{});
  CHECK(failure_of(5) == "not_work");
  give(6, 1, std::string(3000, 'x'));
  CHECK(failure_of(6) == "too_large");
  give(7, 1, 1);
  CHECK(queue.results.size() == 7);
  CHECK(failure_of(7).empty());
  give(8, 1, std::string{"x"});
  CHECK(failure_of(8).empty());
}

TEST_CASE_FIXTURE(world, "a message of the durable queue that is cancelled has "
                         "not failed") {
  options.busy_until = libpool::busy_until::answer;
  make_local(promising());
  serve();
  give(1, 1, 4);
  give(2, 1, 5); // waits
  libpool::selection all;
  all.all = true;
  libpool::actor_pool::cancel(pool, all);
  run();
  CHECK(has_failed(2, errc::cancelled));
  CHECK(queue.failures.empty());
}

TEST_CASE_FIXTURE(world, "the user decides which errors of handlers are "
                         "failures, and an exception means that one is") {
  make_local([](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      return x == 0   ? caf::error{caf::sec::invalid_argument}
             : x == 1 ? caf::error{caf::sec::runtime_error}
                      : caf::error{caf::sec::cannot_open_file};
    }};
  });
  is_failure = [](const caf::error& why) {
    if (why == caf::sec::cannot_open_file)
      throw std::runtime_error{"no opinion"};
    return why == caf::sec::runtime_error;
  };
  serve();
  for (auto x : {0, 1, 2})
    give(static_cast<std::uint64_t>(x), 1, x);
  CHECK(failure_of(0).empty());
  CHECK(failure_of(1) == "runtime_error");
  CHECK(failure_of(2) == "cannot_open_file");
}

TEST_CASE_FIXTURE(world, "a failure has the kind and the trace of the message, "
                         "the last node and the number of attempts") {
  options.on_crash = libpool::retry{1};
  options.trace_of = [](const libpool::message_content& content) {
    return "trace " + std::to_string(*libpool::first_of<int>(content));
  };
  make_front();
  join(
    [](scripted&) -> caf::behavior {
      return {[](int) -> int { test::crash(); }};
    },
    2);
  give(1, 1, 4);
  wait(2s);
  REQUIRE(failure_of(1) == "retries_exhausted");
  const auto& failure = queue.failures.at(1);
  CHECK((failure.kind == "i32" || failure.kind == "int32_t")); // by the CAF
  CHECK(failure.trace == "trace 4");
  CHECK(failure.node == "node0");
  CHECK(failure.attempts == 2);
  CHECK(failure.reason.find("libpool: ") == 0);
}

TEST_CASE_FIXTURE(world, "the failed messages of a managed pool are those of "
                         "its durable queue, until it ends") {
  make_local(adding());
  CHECK(libpool::failed_messages_of(pool) == nullptr);
  CHECK(stats().failed_messages == libpool::pool_stats::unlimited);
  serve();
  queue.failed[7].number = 7;
  CHECK(stats().failed_messages == 1);
  CHECK(libpool::failed_messages_of(pool)->list(0, 9).size() == 1);
  auto kept = pool;
  end_pool();
  CHECK(libpool::failed_messages_of(kept) == nullptr);
}

// -- nodes that answer the next front -----------------------------------------

TEST_CASE_FIXTURE(world, "a node answers the next front with a task that it "
                         "has begun for the lost front") {
  make_former();
  join(promising());
  give(1, 1, 4);
  CHECK(holders.size() == 1);
  SUBCASE("and that runs") {
    lose_front();
    give(1, 2, 4);
    deliver(0, 7);
  }
  SUBCASE("and that ends before the next front asks") {
    lose_front();
    deliver(0, 7);
    give(1, 2, 4);
  }
  SUBCASE("and that the next front has before the node") {
    former.push_back(std::exchange(pool, caf::actor{}));
    make_front();
    give(1, 2, 4);
    lead_to_pool(0);
    wait(1s);
    deliver(0, 7);
  }
  wait(10s);
  CHECK(has_result(1, 7));
  CHECK(holders.size() == 1);
  give(2, 1, 5);
  deliver(1, 8);
  CHECK(has_result(2, 8));
}

TEST_CASE_FIXTURE(world,
                  "a message of the durable queue that no node has begun "
                  "fails a lease after the start of the next front") {
  make_former();
  join(promising());
  lose_front();
  give(1, 2, 4);
  CHECK(queue.results.empty());
  wait(5s);
  CHECK(has_failed(1, errc::front_lost));
  CHECK(holders.empty());
}

TEST_CASE_FIXTURE(world, "a message of the durable queue that waited in the "
                         "lost front runs if all nodes of that front join the "
                         "next one") {
  options.busy_until = libpool::busy_until::answer;
  make_former();
  join(promising());
  give(1, 1, 4);
  give(2, 1, 5);
  CHECK(holders.size() == 1); // its node is busy
  SUBCASE("and fails otherwise") {
    former.push_back(std::exchange(pool, caf::actor{}));
    make_front();
    give(2, 2, 5);
    wait(5s);
    CHECK(has_failed(2, errc::front_lost));
    lead_to_pool(0);
    wait(1s);
    CHECK(holders.size() == 1);
    return;
  }
  lose_front();
  give(1, 2, 4);
  give(2, 2, 5);
  deliver(0, 7);
  wait(5s);
  REQUIRE(holders.size() == 2);
  deliver(1, 8);
  CHECK(has_result(1, 7));
  CHECK(has_result(2, 8));
}

TEST_CASE_FIXTURE(world,
                  "a node gets messages when the durable queue has noted "
                  "it, unless its session has ended") {
  queue.admits_nodes = false;
  make_front();
  join(promising());
  give(1, 1, 4);
  CHECK(holders.empty());
  SUBCASE("it serves") {
    queue.admissions.at(0)();
    run();
    deliver(0, 7);
    CHECK(has_result(1, 7));
  }
  SUBCASE("it is lost") {
    lose_node(0);
    queue.admissions.at(0)();
    run();
    CHECK(libpool::nodes_of(pool).nodes.empty());
    CHECK(holders.empty());
    end_pool();
  }
}

TEST_CASE_FIXTURE(world, "a distributed pool serves one durable queue") {
  make_front();
  auto other = test::listed_queue{};
  CHECK_THROWS_AS(libpool::detail::serve_queue(pool, {}, other.for_front()),
                  const std::invalid_argument&);
  CHECK(other.fronts == 0);
  join(promising());
  give(1, 1, 4);
  deliver(0, 7);
  CHECK(has_result(1, 7));
}

TEST_CASE_FIXTURE(world, "a pool whose durable queue another front has taken "
                         "over ends") {
  make_front();
  auto ended = std::make_shared<caf::error>();
  pool->attach_functor([ended](const caf::error& why) { *ended = why; });
  queue.front->taken_over();
  run();
  CHECK(*ended == errc::front_lost);
  CHECK(queue.fronts == 0);
}

TEST_CASE_FIXTURE(world,
                  "a distributed pool that serves a durable queue accepts "
                  "workers of its own if it has some at first") {
  make();
  SUBCASE("it has one") {
    put(system().spawn<scripted>(promising()));
    serve();
    CHECK(queue.nodes_of[queue.last_front].count(0) == 1);
    put(system().spawn<scripted>(promising()));
    CHECK(stats().workers == 2);
  }
  SUBCASE("it has none") {
    serve();
    CHECK(queue.nodes_of[queue.last_front].empty());
    put(system().spawn<scripted>(promising()));
    CHECK(stats().workers == 0);
    join(promising());
    CHECK(stats().workers == 1);
  }
}

TEST_CASE_FIXTURE(world,
                  "a message of the durable queue fails if the node that "
                  "answers the next front is lost") {
  make_former();
  join(promising());
  give(1, 1, 4);
  lose_front();
  give(1, 2, 4);
  lose_node(0);
  CHECK(has_failed(1, errc::front_lost));
  CHECK(holders.size() == 1);
}

TEST_CASE_FIXTURE(world, "a node forgets messages of the durable queue whose "
                         "results are stored") {
  make_former();
  join(promising(), 2);
  give(1, 1, 4);
  deliver(0, 7);
  give(2, 1, 5); // tells the node that 1 is settled
  lose_front();
  give(1, 2, 4);
  wait(5s);
  CHECK(holders.size() == 3); // begins anew
}

TEST_CASE_FIXTURE(world, "a task of the durable queue that has crashed at a "
                         "node runs again if the pool retries") {
  options.on_crash = libpool::retry{1};
  make_front();
  auto crashes = std::make_shared<int>(1);
  join(
    [crashes](scripted&) -> caf::behavior {
      return {[crashes](int x) {
        if ((*crashes)-- > 0)
          test::crash();
        return x + 1;
      }};
    },
    2);
  give(1, 1, 4);
  wait(2s);
  CHECK(has_result(1, 5));
}

} // namespace actors_nodes_durable_tests
