/// Pools that handle the messages of a durable queue, and clients that submit
/// to it.

#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/nodes/task_result.hpp"
#include "libpool/pool.hpp"
#include "support/listed_queue.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
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
    libpool::detail::serve_queue(pool, retries, queue.for_front());
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

  // -- clients ----------------------------------------------------------------

  void make_client(const libpool::detail::submission_terms& terms) {
    pool = libpool::actor_pool::make(
      system(), libpool::actor_pool::shared_queue(options));
    libpool::detail::submit_to_queue(pool, terms, queue.for_client());
    queue.client->came_up();
    run();
  }

  libpool::detail::submission_terms by_number() {
    libpool::detail::submission_terms terms;
    terms.patience = 10s;
    terms.id_of = [](const libpool::message_content& content) {
      return "n" + std::to_string(content.get_as<int>(0));
    };
    return terms;
  }

  void answer(const std::string& id, int x) {
    auto result = std::make_shared<std::string>(
      libpool::bytes_of_answer(system(), caf::make_message(x)));
    queue.client->answered(id, {result, *result});
    run();
  }

  void accept(const std::string& id) {
    queue.client->accepted(id);
    run();
  }

  test::listed_queue queue;
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
  CHECK(has_failed(1, errc::front_lost));
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

// -- clients ------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "requests with the same id are submitted once, and get the "
                  "same result; an asynchronous message ends when the durable "
                  "queue has stored it") {
  make_client(by_number());
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(queue.submitted.size() == 2);
  accept("n1");
  CHECK(count(outcome::completed) == 0);
  accept("n2");
  CHECK(count(outcome::completed) == 1);
  CHECK(queue.forgotten == std::vector<std::string>{"n2"});
  CHECK(!client.answer_to(first).came());
  answer("n1", 7);
  CHECK(client.answer_to(first).get<int>() == 7);
  CHECK(client.answer_to(second).get<int>() == 7);
  CHECK(count(outcome::completed) == 3);
}

TEST_CASE_FIXTURE(world,
                  "a request that the durable queue has not stored fails "
                  "when the client is out of patience") {
  make_client(by_number());
  auto stored = submit(1);
  accept("n1");
  auto open = submit(2);
  queue.client->went_down("the server is down");
  run();
  wait(9s);
  CHECK(!client.answer_to(open).came());
  wait(2s);
  CHECK(client.answer_to(open).error() == errc::not_connected);
  CHECK(!client.answer_to(stored).came());
  queue.client->came_up();
  answer("n1", 7);
  CHECK(client.answer_to(stored).get<int>() == 7);
}

TEST_CASE_FIXTURE(world, "a request whose deadline has passed leaves its place "
                         "to the next one") {
  options.deadline = 1s;
  auto terms = by_number();
  terms.most_open = 1;
  make_client(terms);
  auto late = submit(1);
  accept("n1");
  wait(2s);
  CHECK(client.answer_to(late).error() == errc::deadline_exceeded);
  auto next = submit(2);
  answer("n2", 7);
  CHECK(client.answer_to(next).get<int>() == 7);
}

TEST_CASE_FIXTURE(world,
                  "requests fail whose content or id cannot be made, and "
                  "further ones do not") {
  auto terms = by_number();
  terms.id_of = [](const libpool::message_content& content) -> std::string {
    if (content.get_as<int>(0) == 13)
      throw std::runtime_error("no");
    return "id";
  };
  queue.most = 1100;
  make_client(terms);
  auto bad = client.request(pool, 13);
  auto large = client.request(pool, 1, std::string(200, 'x'));
  auto good = submit(1);
  CHECK(client.answer_to(bad).error() == errc::policy_failed);
  CHECK(client.answer_to(large).error() == errc::too_large);
  answer("id", 7);
  CHECK(client.answer_to(good).get<int>() == 7);
}

TEST_CASE_FIXTURE(world,
                  "a durable client leaves the queue when nothing refers "
                  "to its pool") {
  make_client(by_number());
  auto open = submit(1);
  pool = nullptr;
  run();
  answer("n1", 7);
  CHECK(client.answer_to(open).get<int>() == 7);
  client->inbox.clear(); // the answer refers to the pool
  CHECK(queue.clients == 0);
}

TEST_CASE_FIXTURE(world, "a durable client leaves the queue when its pool has "
                         "removed it") {
  make_client(by_number());
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{});
  CHECK(queue.clients == 0);
}

TEST_CASE_FIXTURE(world, "the requests of a durable client are answered when "
                         "the client ends") {
  SUBCASE("and sees each answer") {
    options.on_crash = libpool::retry{1};
  }
  SUBCASE("and does not see answers") {
    options.on_crash = libpool::fail{};
  }
  make_client(by_number());
  auto open = submit(1);
  end_pool();
  CHECK(client.answer_to(open).error() == errc::pool_closed);
}

} // namespace actors_nodes_durable_tests
