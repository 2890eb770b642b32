/// Effects of messages, workers and the clock on a managed pool itself.

#include "support/managed_world.hpp"
#include "support/port/ways.hpp"

#include <caf/actor_companion.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace managed_control_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using test::managed_world;
using test::scripted;

namespace {

struct world : managed_world {
  world() {
    options.when_empty = libpool::when_empty::wait;
  }
};

/// A message of which so many are there.
struct counted {
  explicit counted(std::shared_ptr<int> alive = nullptr)
    : token(std::move(alive)) {
    // nop
  }

  std::shared_ptr<int> token;
};

} // namespace

} // namespace managed_control_tests

LIBPOOL_TEST_MESSAGE_TYPE(2, managed_control_tests::counted)

namespace managed_control_tests {

// -- messages -----------------------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a forged response ends at the first of two pools that contain each other") {
  make_empty();
  options.on_settled = nullptr;
  auto other = actor_pool::make(system(), actor_pool::shared_queue(options));
  CHECK(put(other).is_empty());
  CHECK(client.ask(other, caf::sys_atom{}, caf::put_atom{}, pool).is_empty());
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id(3).response_id(), 1),
    nullptr);
  run();
  CHECK(books().accepted == 0);
  client.ask(other, caf::sys_atom{}, caf::delete_atom{});
}

TEST_CASE_FIXTURE(
  world,
  "a request for the workers of a busy pool does not change its backlog") {
  populate(1, promising());
  auto alive = std::make_shared<int>(0);
  for (auto i = 0; i < 100; ++i)
    client.send(pool, counted{alive});
  auto before = alive.use_count();
  auto asked = client.request(pool, caf::sys_atom{}, caf::get_atom{});
  auto two_atoms = client.request(pool, caf::ok_atom{}, caf::ok_atom{});
  CHECK(client.answer_to(asked).get<std::vector<caf::actor>>().size() == 1);
  CHECK(alive.use_count() == before);
  CHECK(books().accepted == 101);
  CHECK_FALSE(client.answer_to(two_atoms).came());
  run();
  CHECK(client.answer_to(two_atoms).came());
}

TEST_CASE_FIXTURE(
  world, "a request whose content is a down_msg is answered with an error") {
  populate(1, doubling());
  auto answer = client.ask(
    pool, caf::down_msg{client.handle().address(), caf::exit_reason::kill});
  CHECK(answer.count == 1);
  CHECK(answer.error() == caf::sec::unexpected_message);
  CHECK(client.ask(pool, 2).get<int>() == 4);
}

TEST_CASE_FIXTURE(world,
                  "a pool has at most as many workers as its options allow, "
                  "and the error about more names the option") {
  options.most_workers = 4;
  populate(2, doubling());
  auto resize = [this](std::uint64_t n) {
    return client.ask(pool, caf::sys_atom{}, libpool::resize_atom{}, n);
  };
  CHECK(resize(4).is_empty());
  auto refused = resize(100'000'000'000);
  CHECK(refused.error() == caf::sec::invalid_argument);
  CHECK(says(refused,
             "workers must be at most most_workers (4), got 100000000000"));
  CHECK(stats().workers == 4);
  auto late = system().spawn<scripted>(doubling());
  auto put_late = put(late);
  CHECK(put_late.error() == caf::sec::invalid_argument);
  CHECK(says(put_late, "put: workers must be at most most_workers (4), got 5"));
  CHECK(stats().workers == 4);
  CHECK(put(workers().front()).is_empty()); // a worker already
  CHECK(resize(3).is_empty());
  CHECK(put(late).is_empty());
  CHECK(stats().workers == 4);
  auto factory = [] { return caf::actor{}; };
  CHECK_THROWS_WITH_AS(libpool::spawn_pool(system(), 100'000'000'000, factory),
                       doctest::Contains("most_workers"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(actor_pool::make(system(), 100'000'000'000, factory,
                                        actor_pool::shared_queue()),
                       doctest::Contains("most_workers"),
                       std::invalid_argument);
}

// -- time ---------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a pool with frequent ticks keeps only a few entries in the clock") {
  options.deadline = 1h;
  pool = actor_pool::make(
    system(), 4, [this] { return system().spawn<scripted>(doubling()); },
    actor_pool::hedged(libpool::hedge_delay{1ms}, 100.0,
                       actor_pool::shared_queue(options)));
  for (auto i = 0; i < 200; ++i) {
    client.request(pool, i);
    advance(2ms);
  }
  CHECK(alarms() < 20);
}

// -- workers ------------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a companion without a handler is removed, and stays alive") {
  if (!test::companions_are_tracked) {
    MESSAGE("skipped: with this CAF, managed pools refuse companions");
    return;
  }
  options.when_empty = libpool::when_empty::end;
  auto companion = system().spawn<caf::actor_companion>();
  auto handle = caf::actor_cast<caf::actor>(companion);
  make_empty();
  CHECK(put(handle).is_empty());
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
  CHECK(client.ask(pool, 2).error() == errc::no_workers);
  CHECK(stats().workers == 0);
  CHECK(stats().members.empty());
  CHECK(put(system().spawn<scripted>(doubling())).is_empty());
  CHECK(client.ask(pool, 2).get<int>() == 4);
  caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
  auto* behind = caf::actor_cast<caf::actor_companion*>(handle);
  behind->cleanup(caf::exit_reason::user_shutdown, nullptr);
}

TEST_CASE_FIXTURE(world, "a pool lets other actors run between attempts of a "
                         "factory that always throws") {
  restart(1'000'000'000);
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made] {
    if (++*made > 1)
      throw std::runtime_error{"no more"};
    return system().spawn<scripted>(doubling());
  });
  kill(workers().front());
  for (auto i = 0; i < 50; ++i)
    step();
  CHECK(stats().workers == 0);
  CHECK(*made > 2);
  CHECK(*made < 60);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("a full pool releases its messages when a system ends without "
          "waiting for actors") {
  auto alive = std::make_shared<int>(0);
  {
    test::hand_cranked w;
    auto pool = libpool::spawn_pool(w.system(), 1, [&w] {
      return w.system().spawn<scripted>([](scripted& self) -> caf::behavior {
        self.set_default_handler(caf::skip);
        return {[](caf::ok_atom) {}};
      });
    });
    w.run();
    for (auto i = 0; i < 10; ++i)
      caf::anon_send(pool, counted{alive});
    w.run();
    CHECK(alive.use_count() > 1);
    w.leave_check_to_test();
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE_FIXTURE(world, "a message whose only permitted worker has terminated "
                         "fails, and the pool can still drain") {
  options.may_run_on = [](const libpool::message_content&) {
    return libpool::worker_choice{{0}};
  };
  populate(2, promising());
  kill(workers().front());
  run();
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::worker_down);
  CHECK(says(answer, "all workers that may run the task have left"));
  auto drained = drain();
  run();
  CHECK(client.answer_to(drained).came());
}

// -- functions of the user ----------------------------------------------------

TEST_CASE_FIXTURE(world, "functions of the user see the messages of a "
                         "distributed pool as they were sent") {
  auto shown = 0;
  auto seeing = [&shown](auto result) {
    return [&shown, result](const libpool::message_content& content) {
      shown = content.match_elements<int>() ? content.get_as<int>(0) : 0;
      return result;
    };
  };
  options.on_settled = nullptr;
  using functions = libpool::message_functions;
  const std::vector<std::pair<const char*, std::function<void(functions&)>>>
    all{
      {"work_stealing", [=](auto& o) { o.kind_of = seeing(std::uint64_t{1}); }},
      {"priority", [=](auto& o) { o.priority_of = seeing(std::int64_t{1}); }},
      {"consistent_hash",
       [=](auto& o) { o.key_of = seeing(std::optional<std::uint64_t>{}); }},
      {"fair_queuing",
       [=](auto& o) { o.flow_of = seeing(libpool::flow_key{1}); }},
      {"fair_queuing", [=](auto& o) { o.width_of = seeing(std::size_t{1}); }},
      {"shared_queue",
       [=](auto&) {
         options.may_run_on = seeing(std::optional<libpool::worker_choice>{});
       }},
      {"shared_queue",
       [=](auto&) {
         options.may_run_on = nullptr;
         options.trace_of = seeing(std::string{"1"});
       }},
    };
  for (const auto& each : all) {
    const auto* policy = each.first;
    CAPTURE(policy);
    functions asked;
    each.second(asked);
    auto how = actor_pool::managed(libpool::managed_policy_named(policy),
                                   options, asked);
    pool = actor_pool::make(system(), actor_pool::distributed({}, how));
    put(system().spawn<scripted>(doubling()));
    shown = 0;
    CHECK(client.ask(pool, 42).get<int>() == 84);
    CHECK(shown == 42);
    exit(std::exchange(pool, nullptr), caf::exit_reason::user_shutdown);
    run();
  }
}

} // namespace managed_control_tests
