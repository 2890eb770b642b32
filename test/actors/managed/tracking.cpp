/// The pool knows when its workers are done: each task starts once and ends
/// once, however the worker treats the message.

#include "libpool/actors/caf/port/catch_all.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "support/managed_world.hpp"

#include <chrono>
#include <optional>

namespace managed_tracking_tests {

using libpool::errc;
using libpool::outcome;
using test::crash;
using test::failed_by_crash;
using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

struct world : managed_world {
  world() {
    options.when_empty = libpool::when_empty::wait;
  }

  /// Checks that all that was sent has been completed, `n` tasks.
  void check_completed(std::size_t n) {
    run();
    CHECK(books().accepted == n);
    CHECK(books().completed == n);
    CHECK(fates.size() == n);
    CHECK(stats().total.completed == n);
  }

  /// Makes a pool of a worker that skips all numbers, and quits when told to.
  void populate_skipping() {
    options.window = 4;
    populate(1, [](scripted& self) -> caf::behavior {
      self.set_default_handler(caf::skip);
      return {[&self](caf::ok_atom) { self.quit(); }};
    });
  }

  /// Adds a worker that doubles numbers, and ends the first one.
  void replace(bool by_killing = true) {
    auto first = workers().front();
    put_doubling();
    if (by_killing)
      kill(first);
    else
      caf::anon_send(first, caf::ok_atom{});
    run();
  }
};

/// A pool, as far as elements know it.
class owner final : public libpool::element_owner {
  void ended(libpool::tracked_element&,
             libpool::execution_context*) noexcept override {
    // nop
  }

  void began_inside(const std::shared_ptr<libpool::passage>&, libpool::instant,
                    libpool::execution_context*) override {
    // nop
  }

  void settled_inside(const std::shared_ptr<libpool::passage>&, libpool::errc,
                      libpool::execution_context*) override {
    // nop
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a task runs while its handler does, and starts, ends "
                         "and is answered once") {
  populate(1, [this](scripted&) -> caf::behavior {
    return {[this](int x) {
      CHECK(books().running == 1);
      CHECK(stats().members.at(0).in_flight == 1);
      CHECK(fates.empty());
      return 2 * x;
    }};
  });
  SUBCASE("an asynchronous message") {
    client.send(pool, 1);
    CHECK(books().sent == 1);
    check_completed(1);
    CHECK_FALSE(fates.at(0).had_client);
  }
  SUBCASE("a request") {
    auto number = client.request(pool, 21);
    check_completed(1);
    CHECK(result_of(number) == 42);
    CHECK(fates.at(0).had_client);
    CHECK(fates.at(0).id.is_request());
  }
}

TEST_CASE_FIXTURE(
  world,
  "a task ends when its handler promises, not when the promise is delivered") {
  populate(1, promising());
  auto number = client.request(pool, 1);
  check_completed(1);
  CHECK_FALSE(is_answered(number));
  deliver(0, 2);
  check_completed(1);
  CHECK(result_of(number) == 2);
}

TEST_CASE_FIXTURE(world, "the task of a delegated request ends when the "
                         "handler that delegates it returns") {
  test::probe helper{*this};
  populate(1, [&](scripted& self) -> caf::behavior {
    return {
      [&self, to = helper.handle()](int x) { return self.delegate(to, x); }};
  });
  auto number = client.request(pool, 21);
  check_completed(1);
  CHECK_FALSE(is_answered(number));
  helper.answer(0, 42);
  CHECK(result_of(number) == 42);
}

TEST_CASE_FIXTURE(
  world, "a request ends with the handler that forwards it unchanged") {
  auto helper = system().spawn<test::doubler>();
  populate(1, [helper](scripted& self) -> caf::behavior {
    self.set_default_handler(
      [helper](caf::scheduled_actor* me,
               libpool::any_message& message) -> test::unhandled_result {
        auto& element = *me->current_mailbox_element();
        helper->enqueue(
          libpool::make_element(libpool::take_return_path(element),
                                libpool::take_content(message)),
          me->context());
        return caf::delegated<caf::message>{};
      });
    return {[](const std::string&) {}};
  });
  auto number = client.request(pool, 21);
  check_completed(1);
  CHECK(result_of(number) == 42);
  caf::anon_send_exit(helper, caf::exit_reason::kill);
}

TEST_CASE_FIXTURE(world, "a request for which the worker has no handler "
                         "completes with unexpected_message") {
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::drop);
    return {[](const std::string&) {}};
  });
  auto number = client.request(pool, 4);
  check_completed(1);
  CHECK(error_of(number) == caf::sec::unexpected_message);
}

// -- workers that skip messages -----------------------------------------------

TEST_CASE_FIXTURE(world, "asynchronous messages that a worker has skipped run "
                         "on another worker when the worker ends") {
  auto is_killed = false;
  SUBCASE("it quits") {}
  SUBCASE("it is killed") {
    is_killed = true;
  }
  populate_skipping();
  for (auto i = 0; i < 3; ++i)
    client.send(pool, i);
  run();
  CHECK(books().open() == 3);
  replace(is_killed);
  CHECK(doubled == numbers{0, 1, 2});
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(world, "a request that a killed worker has skipped fails if "
                         "CAF answers its client, unless the pool relays "
                         "answers") {
  auto bounces = test::skipped_requests_bounce;
  SUBCASE("CAF answers") {}
  SUBCASE("the pool relays answers") {
    options.deadline = std::chrono::hours{1};
    bounces = false;
  }
  populate_skipping();
  auto number = request(1);
  replace();
  REQUIRE(fates.size() == 1);
  if (bounces) {
    CHECK(error_of(number) == caf::sec::request_receiver_down);
    CHECK(fates[0].how == outcome::failed);
    CHECK(fates[0].reason == errc::worker_crashed);
  } else {
    CHECK(result_of(number) == 2); // of the other worker
    CHECK(fates[0].how == outcome::completed);
  }
}

// -- handlers that throw ------------------------------------------------------

TEST_CASE_FIXTURE(world, "a task fails if its handler throws") {
  populate(2, [](scripted&) -> caf::behavior {
    return {[](int) -> int { crash(); }};
  });
  client.send(pool, 1);
  auto number = request(1);
  CHECK(books().failed == 2);
  for (auto& each : fates) {
    CHECK(each.how == outcome::failed);
    CHECK(each.reason == errc::worker_crashed);
    CHECK(each.worker != 0);
  }
  CHECK(failed_by_crash(client.answer_to(number)));
  CHECK(stats().workers == 0);
  CHECK(stats().total.failed == 2);
}

TEST_CASE_FIXTURE(world,
                  "a handler that throws after its promise or its answer "
                  "counts as a crash, and the client gets the answer") {
  populate(2, [](scripted& self) -> caf::behavior {
    return {[&self](int x) -> caf::result<int> {
      auto promise = self.make_response_promise();
      if (x > 0)
        promise.deliver(2 * x);
      crash();
    }};
  });
  CHECK(client.answer_to(request(1)).get<int>() == 2);
  CHECK(books().failed == 1);
  auto answer = client.ask(pool, 0);
  CHECK(books().failed == 2);
  CHECK(answer.count == (test::dropped_promises_answer ? 2 : 1));
  CHECK(answer.error() // the first answer counts
        == (test::dropped_promises_answer ? libpool::dropped_request()
                                          : make_error(errc::worker_crashed)));
}

TEST_CASE(
  "a message has not passed a new pool at the address of a former pool") {
  owner inner;
  std::optional<owner> outer{std::in_place};
  libpool::tracked_element before{*outer, nullptr, false};
  libpool::tracked_element message{inner, nullptr, false};
  message.descend_from(before.line());
  CHECK(message.has_passed(inner));
  CHECK(message.has_passed(*outer));
  outer.emplace();
  CHECK_FALSE(message.has_passed(*outer));
}

TEST_CASE_FIXTURE(world, "a request counts as completed if its worker answers, "
                         "even if the worker fails later in the same handler") {
  options.on_crash = libpool::retry{3};
  auto runs = std::make_shared<int>(0);
  SUBCASE("retries are on") {}
  SUBCASE("retries are off") {
    options.on_crash = libpool::fail{};
  }
  populate(2, [runs](scripted& self) -> caf::behavior {
    return {[runs, &self](int x) {
      ++*runs;
      self.quit(caf::exit_reason::remote_link_unreachable);
      return 2 * x;
    }};
  });
  CHECK(result_of(request(21)) == 42);
  CHECK(*runs == 1);
  CHECK(books().completed == 1);
  CHECK(books().failed == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a task that is answered with an error counts as completed with an error") {
  options.deadline = std::chrono::hours{1};
  auto told = 0;
  on_settled = [&](const libpool::settled_task& task) {
    told += task.answered_with_error ? 1 : 0;
  };
  populate(1, [](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      if (x < 0)
        return caf::sec::invalid_argument;
      return x;
    }};
  });
  CHECK(client.ask(pool, -1).error() == caf::sec::invalid_argument);
  CHECK(client.ask(pool, 1).get<int>() == 1);
  CHECK(books().completed == 2);
  CHECK(stats().error_answers == 1);
  CHECK(told == 1);
}

TEST_CASE_FIXTURE(world, "stats have error answers by error, flow and kind, if "
                         "the pool intercepts answers") {
  auto failing = [](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      if (x > 0)
        return x;
      return x < -10 ? libpool::make_error(libpool::errc::not_work)
                     : caf::error{caf::sec::invalid_argument};
    }};
  };
  SUBCASE("") {
    options.deadline = std::chrono::hours{1};
    options.throttles.of_each_flow = libpool::throttle{9, {}};
    options.throttled_by = libpool::flow_by<int>([](int x) { return x % 10; });
    populate(1, failing);
    libpool::actor_pool::record(pool, {std::chrono::hours{1}});
    for (auto x : {-1, 1, -11, -2, 2, -1})
      client.ask(pool, x);
    CHECK(stats().sees_answers);
    CHECK(stats().error_answers == 4);
    auto rows = stats().answered_errors;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].name == "invalid_argument");
    CHECK(rows[0].flow == "-1");
    CHECK_FALSE(rows[0].kind.empty());
    CHECK(rows[0].count == 2);
    CHECK(rows[1].flow == "-2");
    CHECK(rows[2].name == "not_work");
  }
  SUBCASE("and not otherwise") {
    populate(1, failing);
    CHECK(client.ask(pool, -1).error() == caf::sec::invalid_argument);
    CHECK_FALSE(stats().sees_answers);
    CHECK(stats().error_answers == 0);
  }
}

TEST_CASE_FIXTURE(world, "the client and on_settled get the same error about a "
                         "crash, with the text of the exception") {
  SUBCASE("with a deadline") {
    options.deadline = std::chrono::hours{1};
  }
  SUBCASE("with retries that are used up") {
    options.on_crash = libpool::retry{1};
    options.poison_after = 1;
  }
  SUBCASE("with workers that are busy until the answer") {
    options.busy_until = libpool::busy_until::answer;
  }
  populate(3, [](scripted&) -> caf::behavior {
    return {[](int) -> int { test::crash(); }};
  });
  auto answer = client.ask(pool, 1);
  CHECK(answer.count == 1);
  CHECK(libpool::is_crash(answer.error()));
  auto text = to_string(answer.error());
  CHECK(text.find("crash") != std::string::npos);
  REQUIRE(fates.size() == 1);
  CHECK(fates[0].reason == answer.error());
  CHECK(to_string(fates[0].reason).find("crashed: crash") != std::string::npos);
}

} // namespace managed_tracking_tests
