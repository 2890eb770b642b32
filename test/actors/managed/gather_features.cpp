/// Gathers together with other features: collectors that are recycled,
/// deadlines, pools in pools, and functions of the user.

#include "support/brittle.hpp"
#include "support/gather_world.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

namespace managed_gather_features_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::one_each;
using test::splitting;
using world = test::gather_world;

TEST_CASE_FIXTURE(world,
                  "collectors are recycled even if a client keeps an answer") {
  make(splitting(*this), {does::answer});
  client.ask(pool, numbers{1});
  std::vector<caf::mailbox_element_ptr> kept; // e.g. by an actor that logs
  kept = std::move(client->inbox);
  client->inbox.clear();
  std::vector<caf::actor_addr> by;
  for (auto i = 0; i < 3; ++i) {
    client.ask(pool, numbers{1, 2});
    by.push_back(client->inbox.back()->sender->address());
    client->inbox.clear();
  }
  CHECK(by[1] == by[2]);
}

TEST_CASE_FIXTURE(world,
                  "a recycled collector keeps no results of its last message") {
  gather_options how;
  how.ordered = true;
  auto keep = std::make_shared<int>(1);
  auto ignore = [](int&, caf::message&) {};
  auto whole = [](caf::message& message) {
    return libpool::message_parts{message};
  };
  pool = actor_pool::make(system(), actor_pool::managed_split_join<int>(
                                      ignore, whole, 0, how, queue()));
  test::probe other{*this};
  auto address = other.handle().address();
  auto h = std::make_shared<caf::actor>(other.handle());
  auto w =
    system().spawn<test::scripted>([h](test::scripted&) -> caf::behavior {
      return {[h](int) { return std::exchange(*h, nullptr); }};
    });
  put_by_request(w);
  run();
  CHECK(client.ask(pool, 1).came());
  client->inbox.clear();
  auto refs = other.pointer()->strong_refs.load();
  CHECK(refs == 2); // `other`, and that pointer
  exit(w, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "the parts of an asynchronous message are handled "
                         "even if the sender has terminated") {
  make(splitting(*this), {does::answer});
  {
    test::probe hasty{*this};
    hasty.send(pool, numbers{1, 2, 3});
    hasty.die();
  }
  run();
  CHECK(begun.size() == 3);
}

TEST_CASE_FIXTURE(
  world,
  "pools that are made with the same policy do not share its split function") {
  struct counting {
    int n = 0;
    libpool::message_parts operator()(caf::message&) {
      return {caf::make_message(++n)};
    }
  };
  auto how = actor_pool::managed_split_join<numbers>(append, counting{});
  auto spawn = [this] { return system().spawn<test::doubler>(); };
  auto first = actor_pool::make(system(), 1, spawn, how);
  auto other = actor_pool::make(system(), 1, spawn, how);
  CHECK(client.ask(first, 1).get<numbers>() == numbers{2});
  CHECK(client.ask(other, 1).get<numbers>() == numbers{2});
  for (auto& each : {first, other})
    exit(each, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(world, "on_refused gets the whole message if copying the "
                         "initial value of the joined result throws") {
  auto join = [](test::brittle&, caf::message&) {};
  numbers back;
  bool refused = false;
  libpool::pool_options about;
  about.on_refused = [&](libpool::refusal& refusal) {
    CHECK(refusal.reason == errc::policy_failed);
    refused = true;
    if (refusal.content.match_elements<numbers>())
      back = refusal.content.get_as<numbers>(0);
  };
  SUBCASE("managed_split_join") {
    pool = actor_pool::make(system(),
                            actor_pool::managed_split_join<test::brittle>(
                              join, one_each, test::brittle{}, {}, queue()),
                            about);
  }
  SUBCASE("broadcast_all") {
    pool = actor_pool::make(system(),
                            actor_pool::broadcast_all<test::brittle>(
                              join, test::brittle{}, {}, queue()),
                            about);
  }
  SUBCASE("quorum") {
    pool = actor_pool::make(system(),
                            actor_pool::quorum<test::brittle>(
                              1, 1, join, test::brittle{}, {}, queue()),
                            about);
  }
  add(does::answer);
  run();
  test::brittle::breaks = true;
  client.send(pool, numbers{7, 8});
  run();
  test::brittle::breaks = false;
  CHECK(refused);
  CHECK(back == numbers{7, 8});
}

TEST_CASE_FIXTURE(
  world,
  "a message that is answered is not hedged even if its handler takes long") {
  make(actor_pool::hedged(10ms, 100, queue()), {});
  auto w = system().spawn<test::scripted>(
    [this](test::scripted& actor) -> caf::behavior {
      auto* self = &actor;
      return {[this, self](int x) {
        auto p = self->make_response_promise();
        p.deliver(x);
        begun.emplace_back(9, x);
        pass(20ms); // tidies up
      }};
    });
  put_by_request(w);
  run();
  add(does::answer);
  run();
  auto answer = client.ask(pool, 1);
  CHECK(answer.get<int>() == 1);
  run();
  CHECK(workers_in_order() == numbers{9});
  CHECK(stats().hedged == 0);
  exit(w, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(
  world, "a pool that ends with many open gathers answers each request once") {
  options.when_empty = libpool::when_empty::wait;
  make(splitting(*this), {});
  for (int i = 0; i < 1500; ++i)
    client.request(pool, numbers{1, 2});
  run();
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  for (std::uint64_t i = 1; i <= 1500; i += 100)
    CHECK(client.answer_to(i).count == 1);
}

TEST_CASE_FIXTURE(world,
                  "on_settled gets no client for an asynchronous message") {
  bool plain = false, any = false;
  SUBCASE("for a policy that does not gather") {
    plain = true;
    make(queue(), {does::answer});
  }
  SUBCASE("for a policy that gathers") {
    make(actor_pool::first_success(2, queue()), {does::answer});
  }
  on_settled = [&](const libpool::settled_task& settled) {
    any = any || settled.client != nullptr;
  };
  client.send(pool, 1);
  run();
  CAPTURE(plain);
  CHECK_FALSE(any);
  on_settled = nullptr;
}

TEST_CASE_FIXTURE(world, "a request to an inner split_join is answered once if "
                         "a worker makes a response promise and throws") {
  auto inner = actor_pool::make(system(),
                                actor_pool::split_join<numbers>(append));
  auto w =
    system().spawn<test::scripted>([](test::scripted& self) -> caf::behavior {
      return {[&self](int) -> caf::result<int> {
        auto p = self.make_response_promise();
        test::crash();
      }};
    });
  CHECK(client.ask(inner, caf::sys_atom{}, caf::put_atom{}, w).is_empty());
  make(queue(), {});
  put_by_request(inner);
  run();
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(books().completed == 1);
  caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(
  world,
  "a hedged request is answered even if its first worker only promises") {
  make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  auto number = client.request(pool, 1);
  run();
  advance(50ms);
  CHECK(client.answer_to(number).came());
}

TEST_CASE_FIXTURE(world,
                  "a message is not hedged once its deadline has passed") {
  options.busy_until = libpool::busy_until::answer;
  options.deadline = 5ms;
  SUBCASE("with a hedge delay after the deadline") {
    make(actor_pool::hedged(10ms, 100, queue()), {does::promise, does::answer});
  }
  SUBCASE("with a hedge delay that ends with the deadline") {
    make(actor_pool::hedged(5ms, 100, queue()), {does::promise, does::answer});
  }
  auto number = client.request(pool, 1);
  run();
  for (int i = 0; i < 4; ++i)
    advance(5ms);
  CHECK(client.answer_to(number).error() == errc::deadline_exceeded);
  CHECK(stats().hedged == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a message in an empty pool waits for a worker with when_empty::wait") {
  options.when_empty = libpool::when_empty::wait;
  SUBCASE("with hedged") {
    make(actor_pool::hedged(10ms, 100, queue()), {});
  }
  SUBCASE("with first_success") {
    make(actor_pool::first_success(1, queue()), {});
  }
  SUBCASE("with the underlying policy alone") {
    make(queue(), {});
  }
  auto number = client.request(pool, 1);
  run();
  add(does::answer);
  run();
  CHECK(client.answer_to(number).get<int>() == 1);
}

TEST_CASE_FIXTURE(
  world, "split and join may request stats of their pool and send to it") {
  auto split = [this](caf::message& message) {
    CHECK(actor_pool::stats(pool).workers == 1);
    if (message.get_as<numbers>(0)[0] == 1)
      client.request(pool, numbers{2});
    return one_each(message);
  };
  auto join = [this](numbers& to, caf::message& message) {
    CHECK(actor_pool::stats(pool).workers == 1);
    if (message.get_as<int>(0) == 2)
      client.request(pool, numbers{3});
    append(to, message);
  };
  make(actor_pool::managed_split_join<numbers>(join, split, numbers{}, {},
                                               queue()),
       {does::answer});
  client.request(pool, numbers{1});
  run();
  for (std::uint64_t i = 2; i <= 4; ++i)
    CHECK(client.answer_to(i).count == 1);
}

TEST_CASE_FIXTURE(world, "a request to an inner broadcast_all is answered once "
                         "if a worker makes a response promise and throws") {
  auto inner = actor_pool::make(
    system(), actor_pool::broadcast_all<numbers>(test::append, {}));
  auto held = std::make_shared<caf::response_promise>();
  auto w = system().spawn<test::scripted>(
    [held](test::scripted& self) -> caf::behavior {
      return {[&self, held](int) -> caf::result<int> {
                *held = self.make_response_promise();
                return caf::delegated<int>{};
              },
              [held](caf::ok_atom) {
                auto p = std::move(*held);
                *held = {};
                test::crash();
              }};
    });
  CHECK(client.ask(inner, caf::sys_atom{}, caf::put_atom{}, w).is_empty());
  make(queue(), {});
  put_by_request(inner);
  run();
  auto n = client.request(pool, 1);
  run();
  caf::anon_send(w, caf::ok_atom_v);
  run();
  auto answer = client.answer_to(n);
  CHECK(answer.count == 1);
  CHECK(books().completed == 1);
  caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(
  world, "a result that refers to the pool does not keep the pool alive") {
  gather_options how;
  how.ordered = true;
  auto ignore = [](int&, caf::message&) {};
  auto whole = [](caf::message& message) {
    return libpool::message_parts{message};
  };
  pool = actor_pool::make(system(), actor_pool::managed_split_join<int>(
                                      ignore, whole, 0, how, queue()));
  auto w = system().spawn<test::scripted>([](test::scripted&) -> caf::behavior {
    return {
      [](const caf::actor& x) { return x; }}; // the worker to ask next time
  });
  put_by_request(w);
  run();
  CHECK(client.ask(pool, pool).came());
  caf::actor_addr address = pool.address();
  client->inbox.clear();
  pool = nullptr;
  run();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
  exit(w, caf::exit_reason::user_shutdown);
  run();
}

TEST_CASE_FIXTURE(world, "an accepted message is cancelled and passed to "
                         "on_refused if its split function throws") {
  auto split = [](caf::message& content) {
    auto parts = one_each(content);
    return parts.size() < 2 ? parts : throw std::runtime_error{"too many"};
  };
  std::size_t handed_back = 0;
  libpool::pool_options about;
  about.on_refused = [&](libpool::refusal& refusal) {
    CHECK(refusal.reason == errc::policy_failed);
    CHECK(refusal.content.get_as<numbers>(0) == numbers{1, 2});
    ++handed_back;
  };
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<numbers>(append, split, {}, {},
                                            actor_pool::shared_queue(options)),
    about);
  add(does::answer);
  run();
  client.send(pool, numbers{1}); // keeps the worker busy
  for (auto i = 0; i < 3; ++i)
    client.send(pool, numbers{1, 2});
  auto number = client.request(pool, numbers{1, 2});
  CHECK(books().accepted == 5);
  CHECK(books().waiting == 4);
  run();
  CHECK(handed_back == 3);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::policy_failed);
  CHECK(books().accepted == 5);
  CHECK(books().completed == 1);
  CHECK(books().cancelled == 4);
  CHECK(books().refused == 0);
}

TEST_CASE_FIXTURE(
  world,
  "policies that ask several workers refuse options that choose workers") {
  libpool::message_functions asked;
  SUBCASE("may_run_on") {
    options.may_run_on = [](const libpool::message_content&) {
      return libpool::worker_choice{{0}, false};
    };
  }
  SUBCASE("home_of") {
    asked.home_of = [](const libpool::message_content&) { return 0; };
  }
  libpool::recipe least_used;
  least_used.placement = "least_used";
  auto under = actor_pool::managed(least_used, options, asked);
  CHECK_THROWS_AS(actor_pool::first_success(2, under), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::hedged(1ms, 5, under), std::invalid_argument);
  CHECK_THROWS_AS(actor_pool::broadcast_all<numbers>(append, {}, {}, under),
                  std::invalid_argument);
  CHECK_NOTHROW(
    actor_pool::managed_split_join<numbers>(append, one_each, {}, {}, under));
}

} // namespace managed_gather_features_tests
