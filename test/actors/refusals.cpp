#include "libpool/pool.hpp"
#include "support/probe.hpp"

#include <caf/actor_pool.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace refusals_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::pool_options;
using libpool::refusal;
using test::hand_cranked;
using test::probe;

namespace {

struct world : hand_cranked {
  probe client{*this};
  std::vector<refusal> refused;

  pool_options keep_refused() {
    pool_options result;
    result.on_refused = [this](refusal& r) { refused.push_back(std::move(r)); };
    return result;
  }
};

using guard = actor_pool::uplock;
using workers = actor_pool::actor_vec;

} // namespace

TEST_CASE_FIXTURE(world, "a request gets an error if there are no workers") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin(),
                               keep_refused());
  auto answer = client.ask(pool, 1, std::string{"two"});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::no_workers);
  CHECK(refused.empty());
  CHECK(actor_pool::stats(pool).refused == 1);
}

TEST_CASE_FIXTURE(world, "an asynchronous message without a worker is counted, "
                         "and on_refused gets it") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin(),
                               keep_refused());
  client.send(pool, 1, std::string{"two"});
  caf::anon_send(pool, 3);
  CHECK(client.received() == 0);
  CHECK(actor_pool::stats(pool).refused == 2);
  REQUIRE(refused.size() == 2);
  CHECK(refused[0].sender == client.pointer());
  CHECK(refused[0].reason == errc::no_workers);
  REQUIRE(refused[0].content.match_elements<int, std::string>());
  CHECK(refused[0].content.get_as<std::string>(1) == "two");
  CHECK(refused[1].sender == nullptr);
  CHECK(refused[1].content.get_as<int>(0) == 3);
}

TEST_CASE_FIXTURE(world,
                  "on_refused gets a request whose sender has terminated") {
  auto pool = actor_pool::make(system(), actor_pool::random(1), keep_refused());
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(nullptr, caf::make_message_id(7), 1), nullptr);
  CHECK(refused.size() == 1);
}

TEST_CASE_FIXTURE(world, "exceptions from on_refused are ignored") {
  pool_options options;
  options.on_refused = [](refusal&) { throw std::runtime_error{"mine"}; };
  auto pool = actor_pool::make(system(), actor_pool::round_robin(), options);
  client.send(pool, 1);
  client.send(pool, 1);
  CHECK(actor_pool::stats(pool).refused == 2);
}

TEST_CASE_FIXTURE(world, "on_refused may send to the pool again") {
  probe worker{*this};
  caf::actor pool;
  pool_options options;
  options.on_refused = [&](refusal& r) {
    client.send(pool, caf::sys_atom{}, caf::put_atom{}, worker.handle());
    client.send(pool, r.content);
  };
  pool = actor_pool::make(system(), actor_pool::round_robin(), options);
  client.send(pool, 42);
  REQUIRE(worker.received() == 1);
  CHECK(libpool::content_of(*worker->inbox[0]).get_as<int>(0) == 42);
}

TEST_CASE_FIXTURE(world, "a pool that has ended refuses messages") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin(),
                               keep_refused());
  client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
  client.send(pool, 1);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].reason == errc::pool_closed);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(
  world,
  "a message is refused if the policy throws, and later messages are not") {
  probe worker{*this};
  auto mood = 0;
  auto policy = [&mood](caf::actor_system&, guard&, const workers& ws,
                        caf::mailbox_element_ptr& element,
                        libpool::execution_context*) {
    if (mood == 1)
      throw std::runtime_error{"not today"};
    if (mood == 2)
      throw 42;
    auto taken = std::move(element);
    if (mood == 3)
      throw std::runtime_error{"dropped it"};
    ws.front()->enqueue(std::move(taken), nullptr);
  };
  auto pool = actor_pool::make(
    system(), 1, [&] { return worker.handle(); }, policy, keep_refused());
  for (mood = 1; mood <= 3; ++mood) {
    CAPTURE(mood);
    auto answer = client.ask(pool, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::policy_failed);
    refused.clear();
    client.send(pool, 1);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].reason == errc::policy_failed);
  }
  CHECK(actor_pool::stats(pool).refused == 6);
  CHECK(worker.received() == 0);
  mood = 0;
  client.send(pool, 1);
  CHECK(worker.received() == 1);
}

TEST_CASE_FIXTURE(world, "the error of a failed policy states the reason") {
  probe worker{*this};
  auto policy = [](caf::actor_system&, guard&, const workers&,
                   caf::mailbox_element_ptr&, libpool::execution_context*) {
    throw std::runtime_error{"no quarter"};
  };
  auto pool = actor_pool::make(
    system(), 1, [&] { return worker.handle(); }, policy);
  auto text = libpool::render(client.ask(pool, 1).error(), system());
  CHECK(text.find("libpool") != std::string::npos);
  CHECK(text.find("no quarter") != std::string::npos);
}

TEST_CASE_FIXTURE(world, "a message keeps its id when it is refused") {
  auto pool = actor_pool::make(system(), actor_pool::random(1), keep_refused());
  auto id = caf::make_message_id<caf::message_priority::high>(7);
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(nullptr, id, 1), nullptr);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].id == id);
}

namespace {

/// Takes the message and throws.
struct taker final : libpool::direct_policy {
  std::unique_ptr<libpool::direct_policy> clone() const override {
    return std::make_unique<taker>();
  }

  void dispatch(libpool::turns&, const workers&,
                caf::mailbox_element_ptr& element,
                libpool::execution_context*) override {
    element.reset();
    throw std::runtime_error{"took it"};
  }
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a message that a policy loses is counted as refused") {
  probe worker{*this};
  auto pool = actor_pool::make(
    system(), 1, [&] { return worker.handle(); },
    actor_pool::policy{std::make_unique<taker>()}, keep_refused());
  client.send(pool, 1);
  CHECK(actor_pool::stats(pool).refused == 1);
}

TEST_CASE_FIXTURE(
  world, "a request is answered if a policy under CAF's guard throws") {
  probe worker{*this};
  auto policy = [](caf::actor_system&, libpool::caf_guard&, const workers&,
                   caf::mailbox_element_ptr& element,
                   libpool::execution_context*) {
    auto taken = std::move(element);
    throw std::runtime_error{"dropped it"};
  };
  auto pool = actor_pool::make(
    system(), 1, [&] { return worker.handle(); }, policy);
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
}

namespace {

/// A message that cannot be copied or moved, once it is there.
struct brittle {
  brittle() = default;
  brittle(const brittle&) {
    if (breaks)
      throw std::runtime_error{"brittle"};
  }
  brittle& operator=(const brittle&) = default;

  static inline bool breaks = false;
};

} // namespace

} // namespace refusals_tests

LIBPOOL_TEST_MESSAGE_TYPE(5, refusals_tests::brittle)

namespace refusals_tests {

TEST_CASE_FIXTURE(
  world,
  "an exception while copying a refused message does not reach its sender") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin(),
                               keep_refused());
  auto element = libpool::make_element(client.pointer(), caf::make_message_id(),
                                       brittle{});
  brittle::breaks = true;
  CHECK_NOTHROW(caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    std::move(element), nullptr));
  brittle::breaks = false;
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].content.empty() == test::kept_messages_are_copies);
  CHECK(refused[0].reason == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a message that on_refused sends to its own pool is "
                         "counted, but not passed to on_refused") {
  caf::actor first;
  caf::actor second;
  auto told = 0;
  pool_options options;
  options.on_refused = [&](refusal& r) {
    ++told;
    client.send(first, r.content);
    client.send(second, r.content);
  };
  first = actor_pool::make(system(), actor_pool::round_robin(), options);
  second = actor_pool::make(system(), actor_pool::round_robin(), options);
  client.send(first, 1);
  CHECK(told == 2);                             // once by each
  CHECK(actor_pool::stats(first).refused == 3); // two from the functions
  CHECK(actor_pool::stats(second).refused == 2);
}

TEST_CASE_FIXTURE(world, "a request whose content is a down_msg is answered by "
                         "the pool") {
  probe worker{*this};
  auto pool = actor_pool::make(
    system(), 1, [&] { return worker.handle(); }, actor_pool::round_robin());
  auto answer = client.ask(
    pool, caf::down_msg{client.handle().address(), caf::exit_reason::kill});
  CHECK(answer.count == 1);
  CHECK(answer.error() == caf::sec::unexpected_message);
  CHECK(worker.received() == 0);
}

} // namespace refusals_tests
