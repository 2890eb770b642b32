#include "support/brittle.hpp"
#include "support/direct_world.hpp"

namespace refusals_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::pool_options;
using libpool::refusal;
using guard = actor_pool::uplock;
using workers = actor_pool::actor_vec;

namespace {

/// A pool without workers, which keeps what it refuses.
struct world : test::direct_world {
  std::vector<refusal> refused;
  pool_options keep_refused;
  caf::actor pool;

  world() {
    keep_refused.on_refused = [this](refusal& r) {
      refused.push_back(std::move(r));
    };
    pool = pool_of({}, actor_pool::round_robin(), keep_refused);
  }

  std::uint64_t refusals() const {
    return actor_pool::stats(pool).refused;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a message without a worker is counted: a request "
                         "gets an error, and on_refused gets other messages") {
  auto answer = client.ask(pool, 1, std::string{"two"});
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::no_workers);
  CHECK(refused.empty());
  CHECK(refusals() == 1);
  client.send(pool, 1, std::string{"two"});
  caf::anon_send(pool, 3);
  CHECK(client.received() == 1);
  CHECK(refusals() == 3);
  REQUIRE(refused.size() == 2);
  CHECK(refused[0].sender == client.pointer());
  CHECK(refused[0].reason == errc::no_workers);
  REQUIRE(refused[0].content.match_elements<int, std::string>());
  CHECK(refused[0].content.get_as<std::string>(1) == "two");
  CHECK(refused[1].sender == nullptr);
  CHECK(refused[1].content.get_as<int>(0) == 3);
}

TEST_CASE_FIXTURE(world, "on_refused gets a request whose sender has "
                         "terminated, with its id") {
  auto id = caf::make_message_id<caf::message_priority::high>(7);
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(nullptr, id, 1), nullptr);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].id == id);
}

TEST_CASE_FIXTURE(world, "exceptions from on_refused are ignored") {
  keep_refused.on_refused = [](refusal&) { throw std::runtime_error{"mine"}; };
  pool = pool_of({}, actor_pool::round_robin(), keep_refused);
  client.send(pool, 1);
  client.send(pool, 1);
  CHECK(refusals() == 2);
}

TEST_CASE_FIXTURE(world, "on_refused may send to the pool again") {
  keep_refused.on_refused = [&](refusal& r) {
    client.send(pool, caf::sys_atom{}, caf::put_atom{}, ws[0].handle());
    client.send(pool, r.content);
  };
  pool = pool_of({}, actor_pool::round_robin(), keep_refused);
  client.send(pool, 42);
  CHECK(test::numbers_of(ws[0]) == std::vector{42});
}

TEST_CASE_FIXTURE(world, "a pool that has ended refuses messages") {
  end(pool);
  client.send(pool, 1);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].reason == errc::pool_closed);
  CHECK(client.ask(pool, 1).error() == caf::sec::request_receiver_down);
}

TEST_CASE_FIXTURE(
  world,
  "a message is refused if the policy throws, and later messages are not") {
  auto mood = 0;
  auto policy = [&mood](caf::actor_system&, guard&, const workers& all,
                        caf::mailbox_element_ptr& element,
                        libpool::execution_context*) {
    if (mood == 1)
      throw std::runtime_error{"not today"};
    if (mood == 2)
      throw 42;
    auto taken = std::move(element);
    if (mood == 3)
      throw std::runtime_error{"dropped it"};
    all.front()->enqueue(std::move(taken), nullptr);
  };
  pool = pool_with(policy, keep_refused);
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
  CHECK(refusals() == 6);
  CHECK(ws[0].received() == 0);
  mood = 0;
  client.send(pool, 1);
  CHECK(ws[0].received() == 1);
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
  pool = pool_with(actor_pool::policy{std::make_unique<taker>()});
  client.send(pool, 1);
  CHECK(refusals() == 1);
}

TEST_CASE_FIXTURE(
  world, "a request is answered if a policy under CAF's guard throws") {
  pool = pool_with([](caf::actor_system&, libpool::caf_guard&, const workers&,
                      caf::mailbox_element_ptr& element,
                      libpool::execution_context*) {
    auto taken = std::move(element);
    throw std::runtime_error{"dropped it"};
  });
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::policy_failed);
}

TEST_CASE_FIXTURE(
  world,
  "an exception while copying a refused message does not reach its sender") {
  auto element = libpool::make_element(client.pointer(), caf::make_message_id(),
                                       test::brittle{});
  test::brittle::breaks = true;
  CHECK_NOTHROW(caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    std::move(element), nullptr));
  test::brittle::breaks = false;
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].content.empty() == test::kept_messages_are_copies);
  CHECK(refused[0].reason == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a message that on_refused sends to its own pool is "
                         "counted, but not passed to on_refused") {
  caf::actor second;
  auto told = 0;
  keep_refused.on_refused = [&](refusal& r) {
    ++told;
    client.send(pool, r.content);
    client.send(second, r.content);
  };
  pool = pool_of({}, actor_pool::round_robin(), keep_refused);
  second = pool_of({}, actor_pool::round_robin(), keep_refused);
  client.send(pool, 1);
  CHECK(told == 2);       // once by each
  CHECK(refusals() == 3); // two from the functions
  CHECK(actor_pool::stats(second).refused == 2);
}

} // namespace refusals_tests
