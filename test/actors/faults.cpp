/// Direct pools whose workers, functors and results fail at the wrong moment.

#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

/// A result that cannot be copied or moved once it has been joined.
struct stubborn {
  std::shared_ptr<bool> is_joined = std::make_shared<bool>(false);

  stubborn() = default;

  stubborn(const stubborn& other) : is_joined(other.is_joined) {
    if (*is_joined)
      throw std::runtime_error{"not that"};
  }

  stubborn& operator=(const stubborn&) = default;
  ~stubborn() = default;
};

} // namespace

LIBPOOL_TEST_MESSAGE_TYPE(3, stubborn)

namespace faults_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::hand_cranked;
using test::probe;
using numbers = std::vector<int>;

namespace {

template <class Actor>
caf::actor make(hand_cranked& w) {
  caf::actor_config cfg;
  auto& system = w.system();
  return caf::make_actor<Actor, caf::actor>(system.next_actor_id(),
                                            system.node(), &system, cfg);
}

/// Throws on each message, and loses it.
class thrower final
  : public libpool::delivering<thrower, libpool::front_actor> {
public:
  explicit thrower(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  const char* name() const override {
    return "thrower";
  }

  [[noreturn]] void deliver(caf::mailbox_element_ptr&&,
                            libpool::execution_context*) {
    throw std::runtime_error{"no mailbox"};
  }
};

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 2);

  caf::actor pool_with(actor_pool::policy how,
                       libpool::pool_options options = {}) {
    return actor_pool::make(system(), ws.size(), test::one_by_one(ws),
                            std::move(how), std::move(options));
  }

  caf::actor joining(gather_options options = {}) {
    auto append = [](numbers& to, caf::message& x) {
      to.push_back(x.get_as<int>(0));
    };
    return pool_with(actor_pool::split_join<numbers>(
      append, libpool::detail::split_to_all{}, numbers{}, options));
  }

  /// The sender of the first task of worker `i`.
  caf::actor collector(std::size_t i) {
    return caf::actor_cast<caf::actor>(ws[i]->inbox.at(0)->sender);
  }
};

} // namespace

// -- the pool -----------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a pool that has ended fails all management requests") {
  auto pool = pool_with(actor_pool::round_robin());
  client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
  auto down = caf::sec::request_receiver_down;
  CHECK(client.ask(pool, caf::sys_atom{}, caf::get_atom{}).error() == down);
  CHECK(client.ask(pool, caf::sys_atom{}, caf::delete_atom{}).error() == down);
  CHECK(client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, ws[0].handle())
          .error()
        == down);
}

TEST_CASE_FIXTURE(world, "a request fails if its worker throws on delivery") {
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1),
                    actor_pool::broadcast()}) {
    auto pool = actor_pool::make(
      system(), 1, [this] { return make<thrower>(*this); }, how);
    auto answer = client.ask(pool, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::policy_failed);
    client.send(pool, 1);
    CHECK(actor_pool::stats(pool).refused == 2);
  }
}

// -- functors -----------------------------------------------------------------

TEST_CASE("policies compare with nullptr and swap like std::function") {
  actor_pool::policy none;
  auto some = actor_pool::round_robin();
  CHECK(none == nullptr);
  CHECK(some != nullptr);
  none.swap(some);
  CHECK(nullptr != none);
  CHECK(nullptr == some);
}

// -- split_join ---------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a worker that returns an empty answer may still send its result") {
  auto pool = joining();
  auto number = client.request(pool, 1);
  ws[0].answer(0, caf::message{});
  ws[1].answer(0, 11);
  CHECK_FALSE(client.answer_to(number).came());
  ws[0].send(collector(0), 10);
  CHECK(client.answer_to(number).get<numbers>() == numbers{11, 10});
}

TEST_CASE_FIXTURE(
  world,
  "workers that return empty answers and drop their requests have finished") {
  auto pool = joining();
  auto number = client.request(pool, 1);
  for (auto& w : ws) {
    w.answer(0, caf::message{});
    CHECK_FALSE(client.answer_to(number).came());
    w->inbox.clear();
  }
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.content.match_elements<numbers>());
}

TEST_CASE_FIXTURE(
  world, "a worker that returns an empty answer and terminates has finished") {
  auto pool = joining();
  auto number = client.request(pool, 1);
  ws[0].answer(0, caf::message{});
  ws[0].die();
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{11});
}

TEST_CASE_FIXTURE(world, "if split gives two parts of a message to one worker, "
                         "two results of the worker are joined") {
  auto append = [](numbers& to, caf::message& x) {
    to.push_back(x.get_as<int>(0));
  };
  auto twice = [](libpool::worker_tasks& tasks, caf::message& message) {
    tasks.front().second = message;
    tasks.push_back(tasks.front());
    tasks.emplace_back(caf::actor{}, message); // and no worker a third
  };
  auto pool = pool_with(actor_pool::split_join<numbers>(append, twice));
  auto number = client.request(pool, 1);
  CHECK(ws[0].received() == 2);
  ws[0].send(collector(0), 10);
  ws[0].send(collector(0), 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE_FIXTURE(world,
                  "an exit message from a worker does not count as a result") {
  auto pool = joining();
  auto number = client.request(pool, 1);
  ws[0].send(collector(0),
             caf::exit_msg{ws[0].handle().address(), caf::exit_reason::kill});
  ws[0].answer(0, 10);
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE_FIXTURE(
  world, "an actor that monitors a collector is notified when the pool ends") {
  auto pool = joining();
  client.request(pool, 1);
  auto ended = false;
  collector(0)->attach_functor([&ended] { ended = true; });
  ws[0].answer(0, 10);
  ws[1].answer(0, 11);
  for (auto& w : ws)
    w->inbox.clear();
  client->inbox.clear();
  CHECK_FALSE(ended); // it may serve another message
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  pool = nullptr;
  run();
  CHECK(ended);
}

TEST_CASE_FIXTURE(world, "an actor that monitors the collector of results is "
                         "notified when the workers drop all requests") {
  auto pool = joining();
  client.request(pool, 1);
  auto ended = false;
  collector(0)->attach_functor([&ended] { ended = true; });
  for (auto& w : ws)
    w->inbox.clear();
  CHECK(ended);
}

TEST_CASE_FIXTURE(world,
                  "a worker that throws on delivery fails its part once") {
  auto bad = make<thrower>(*this);
  auto sum = [](int& to, caf::message& x) { to += x.get_as<int>(0); };
  auto handles = std::vector<caf::actor>{ws[0].handle(), bad, ws[1].handle()};
  auto pool = actor_pool::make(
    system(), 3,
    [handles, i = std::size_t{0}]() mutable { return handles[i++]; },
    actor_pool::split_join<int>(sum));
  auto number = client.request(pool, 1);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  for (auto& w : ws)
    w->inbox.clear();
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "a request fails if the result cannot be copied") {
  auto join = [](stubborn& to, caf::message&) { *to.is_joined = true; };
  auto pool = pool_with(actor_pool::split_join<stubborn>(join));
  auto number = client.request(pool, 1);
  ws[0].answer(0, 10);
  ws[1].answer(0, 11);
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
}

TEST_CASE_FIXTURE(
  world, "an earlier inner time-out fails the request to the outer pool once") {
  gather_options outer;
  outer.timeout = 20ms;
  gather_options inner;
  inner.timeout = 10ms;
  auto inside = joining(inner);
  auto ignore = [](int&, caf::message&) {};
  auto pool = actor_pool::make(
    system(), 1, [&] { return inside; },
    actor_pool::split_join<int>(ignore, libpool::detail::split_to_all{}, 0,
                                outer));
  auto number = client.request(pool, 1);
  advance(12ms);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  advance(20ms);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "the longest possible time-out never expires") {
  gather_options options;
  options.timeout = std::chrono::nanoseconds::max();
  auto pool = joining(options);
  auto number = client.request(pool, 1);
  advance(1h);
  CHECK_FALSE(client.answer_to(number).came());
  ws[0].answer(0, 10);
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).came());
}

TEST_CASE_FIXTURE(world,
                  "on_refused gets the whole message if it cannot be split") {
  auto join = [](int&, caf::message&) {};
  auto split = [](libpool::worker_tasks&, caf::message&) {
    throw std::runtime_error{"too big"};
  };
  std::vector<libpool::refusal> refused;
  libpool::pool_options options;
  options.on_refused = [&](libpool::refusal& r) {
    refused.push_back(std::move(r));
  };
  auto pool = pool_with(actor_pool::split_join<int>(join, split), options);
  client.send(pool, 42);
  REQUIRE(refused.size() == 1);
  REQUIRE(refused[0].content.match_elements<int>());
  CHECK(refused[0].content.get_as<int>(0) == 42);
}

} // namespace faults_tests
