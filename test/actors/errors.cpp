/// The texts of errors, for people.

#include "libpool/actors/error.hpp"
#include "support/crew_world.hpp"
#include "support/port/words.hpp"

using libpool::actor_pool;
using libpool::errc;
using libpool::make_error;
using test::crew_world;
using test::managed_world;
using test::name_of;
using test::numbers;
using test::scripted;

namespace {

/// The state of a worker, and with it the worker's name, goes when the worker
/// ends.
struct named_state {
  std::string name = "a name that is too long to be kept in the string itself";
};

class failing : public caf::stateful_actor<named_state> {
public:
  using caf::stateful_actor<named_state>::stateful_actor;

  caf::behavior make_behavior() override {
    return {[this](int) -> caf::result<int> {
      quit();
      return caf::sec::invalid_argument;
    }};
  }
};

} // namespace

TEST_CASE_FIXTURE(test::hand_cranked,
                  "errors of the library are rendered in words") {
  auto words = [this](const caf::error& why) {
    return libpool::render(why, system());
  };
  CHECK(words(errc::no_workers) == "libpool: the pool has no workers");
  CHECK(words(make_error(errc::policy_failed, "flow_of threw: too late"))
        == "libpool: the policy, or a function given to the pool, failed: "
           "flow_of threw: too late");
  CHECK(words(test::error_from_elsewhere(1))
        == "libpool: the pool has no workers");
  CHECK(words(test::error_from_elsewhere(200)) == "libpool: unknown error");
  auto some = {make_error(errc::worker_failed, "worker 3 (x) failed"),
               caf::error{errc::worker_down},
               caf::error{caf::exit_reason::kill}};
  CHECK(words(libpool::make_error(errc::too_few_answers, "2 needed", some))
        == "libpool: too many workers failed: 2 needed: worker 3 (x) failed; "
           "the worker is not running; "
             + words(caf::exit_reason::kill));
  CHECK(words({}) == to_string(caf::error{})); // as CAF renders it
}

TEST_CASE("the text of an error of CAF is the same whether or not "
          "libpool::set_up has configured the actor system") {
  caf::actor_system_config plain;
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system unprepared{plain};
  caf::actor_system other{config};
  caf::error why = make_error(caf::sec::invalid_argument, "a reason");
  CHECK(libpool::render(why, unprepared) == libpool::render(why, other));
}

TEST_CASE_FIXTURE(managed_world, "a request whose handler throws fails once, "
                                 "and counts as a crash of a named worker") {
  auto sets_default = false;
  SUBCASE("the exception handler returns the same error as CAF's own handler") {
  }
  SUBCASE("the exception handler is CAF's own") {
    sets_default = true;
  }
  populate(2, [=](scripted& self) -> caf::behavior {
    if (sets_default)
      self.set_exception_handler(
        caf::scheduled_actor::default_exception_handler);
    return {[](int) -> int { test::crash(); }};
  });
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::worker_crashed);
  CHECK(libpool::is_crash(answer.error()));
  REQUIRE(fates.size() == 1);
  CHECK(fates[0].reason == answer.error());
  client.send(pool, 1);
  run();
  REQUIRE(fates.size() == 2);
  CHECK(
    libpool::render(fates[1].reason, system())
    == "libpool: a worker crashed: worker 1 (test::scripted) crashed: crash");
}

TEST_CASE_FIXTURE(managed_world, "an error that a handler, or an exception "
                                 "handler, returns does not count as a crash") {
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::make_error(caf::sec::invalid_argument);
    });
    return {[](int x) -> caf::result<int> { return static_cast<caf::sec>(x); },
            [](const std::string&) -> int { test::crash(); }};
  });
  auto check = [](const test::reply& answer, caf::sec expected) {
    CHECK(answer.count == 1);
    CHECK(answer.error() == expected);
    CHECK_FALSE(libpool::is_crash(answer.error()));
  };
  for (auto code : {caf::sec::request_receiver_down, caf::sec::runtime_error})
    check(client.ask(pool, static_cast<int>(code)), code);
  check(client.ask(pool, std::string{"crash"}), caf::sec::invalid_argument);
}

TEST_CASE_FIXTURE(
  managed_world,
  "an error of a pool that has ended does not count as a crash") {
  make_empty();
  auto direct = actor_pool::make(system(), actor_pool::round_robin());
  SUBCASE("a managed pool that was drained") {
    client.ask(pool, caf::sys_atom{}, libpool::drain_atom{});
  }
  SUBCASE("a managed pool that was stopped") {
    stop(pool);
  }
  stop(direct);
  for (auto& ended : {pool, direct}) {
    auto answer = client.ask(ended, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error());
    CHECK_FALSE(libpool::is_crash(answer.error()));
  }
}

TEST_CASE_FIXTURE(
  managed_world,
  "the error about a worker that cannot be tracked names the worker") {
  make_empty();
  CHECK(libpool::render(put(client.handle()).error(), system())
        == "libpool: the tasks of the worker cannot be tracked: "
             + name_of(client.handle())
             + " can only be a worker of a direct pool");
}

TEST_CASE_FIXTURE(crew_world, "the text of an error calls a failed worker a "
                              "pool if the worker is an inner pool") {
  auto inner = actor_pool::make(system(), actor_pool::round_robin());
  auto outer = actor_pool::make(
    system(), 1, [&] { return inner; },
    actor_pool::split_join<numbers>(test::append));
  CHECK(text(client.ask(outer, 1))
        == "libpool: a worker failed: pool " + std::to_string(inner.id())
             + " (libpool::actor_pool) failed: the pool has no workers");
  stop(outer);
}

TEST_CASE_FIXTURE(crew_world,
                  "an error names a worker by the name of its state, even if "
                  "the worker ends with its answer") {
  make(test::splitting(*this));
  auto worker = system().spawn<failing>();
  auto name = name_of(worker);
  put(std::exchange(worker, nullptr));
  CHECK(text(client.ask(pool, numbers{1}))
        == "libpool: a worker failed: " + name + " failed: "
             + libpool::render(caf::sec::invalid_argument, system()));
}
