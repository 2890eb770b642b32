/// The pool knows when its workers are done: each task starts once and ends
/// once, however the worker treats the message.

#include "libpool/actors/caf/port/catch_all.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::shared_ptr<numbers> seen = std::make_shared<numbers>();

  /// Checks that all that was sent has been completed, `n` tasks.
  void check_completed(std::size_t n) {
    run();
    CHECK(books().accepted == n);
    CHECK(books().completed == n);
    CHECK(fates.size() == n);
    CHECK(stats().total.completed == n);
  }
};

/// A pool, as far as elements know it.
class owner final : public libpool::element_owner {
  void ended(libpool::tracked_element&,
             libpool::execution_context*) noexcept override {
    // nop
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a message is handled once and completes once") {
  populate(1, test::doubling(seen));
  client.send(pool, 1);
  CHECK(books().sent == 1);
  check_completed(1);
  CHECK(*seen == numbers{1});
}

TEST_CASE_FIXTURE(world,
                  "a request starts once, ends once and is answered once") {
  populate(1, test::doubling(seen));
  auto number = client.request(pool, 21);
  check_completed(1);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 42);
  CHECK(fates.at(0).had_client);
  CHECK(fates.at(0).id.is_request());
}

TEST_CASE_FIXTURE(world, "a task counts as running while its handler runs") {
  populate(1, [this](scripted&) -> caf::behavior {
    return {[this](int) {
      CHECK(books().running == 1);
      CHECK(stats().members.at(0).in_flight == 1);
      CHECK(fates.empty());
    }};
  });
  client.send(pool, 1);
  check_completed(1);
}

TEST_CASE_FIXTURE(
  world,
  "a task ends when its handler promises, not when the promise is delivered") {
  populate(1, promising());
  auto number = client.request(pool, 1);
  check_completed(1);
  CHECK_FALSE(client.answer_to(number).came());
  deliver(0, 2);
  check_completed(1);
  CHECK(client.answer_to(number).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world, "a skipped message is the same task when it is handled later") {
  options.window = 2;
  auto seen_in_order = seen;
  populate(1, [seen_in_order](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {[&self, seen_in_order](const std::string&) {
      self.become([seen_in_order](int x) { seen_in_order->push_back(x); });
    }};
  });
  client.send(pool, 1);
  run();
  CHECK(books().open() == 1);
  CHECK(seen->empty());
  client.send(pool, std::string{"go on"});
  check_completed(2);
  CHECK(*seen == numbers{1});
}

TEST_CASE_FIXTURE(world, "the client gets the answer to a request that a "
                         "worker first skips and then handles") {
  options.window = 2;
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {[&self](const std::string&) {
      self.become([](int x) { return 2 * x; });
    }};
  });
  auto number = client.request(pool, 1);
  run();
  client.send(pool, std::string{"go on"});
  check_completed(2);
  CHECK(client.answer_to(number).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world,
  "a skipped request fails once with its worker if CAF answers the client") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::skip);
    return {[](const std::string&) {}};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(books().open() == 1);
  kill(workers().at(0));
  run();
  if (!test::skipped_requests_bounce) { // waits for another worker
    CHECK(books().open() == 1);
    CHECK(!client.answer_to(number).came());
    return exit(pool, caf::exit_reason::kill);
  }
  CHECK(books().open() == 0);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error());
  CHECK(fates.at(0).how == outcome::failed);
  CHECK(fates.at(0).reason == errc::worker_crashed);
}

TEST_CASE_FIXTURE(world, "the task of a delegated request ends when the "
                         "handler that delegates it returns") {
  auto helper = system().spawn<test::doubler>();
  populate(1, [helper](scripted& self) -> caf::behavior {
    return {[helper, &self](int x) { return self.delegate(helper, x); }};
  });
  auto number = client.request(pool, 21);
  check_completed(1);
  CHECK(client.answer_to(number).get<int>() == 42);
  caf::anon_send_exit(helper, caf::exit_reason::kill);
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
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).get<int>() == 42);
  caf::anon_send_exit(helper, caf::exit_reason::kill);
}

TEST_CASE_FIXTURE(world,
                  "a stateful worker keeps its state from task to task") {
  struct state {
    int sum = 0;
  };
  using stateful = caf::stateful_actor<state>;
  options.workers = 1;
  populate_by(1, [this] {
    return system().spawn(
      [](stateful* self, int start) -> caf::behavior {
        test::state_of(*self).sum = start;
        return {[self](int x) { return test::state_of(*self).sum += x; }};
      },
      100);
  });
  client.send(pool, 1);
  auto number = client.request(pool, 2);
  check_completed(2);
  CHECK(client.answer_to(number).get<int>() == 103);
}

namespace {

using typed_worker = caf::typed_actor<test::signature<int, int>>;

class typed_doubler : public typed_worker::base {
public:
  explicit typed_doubler(caf::actor_config& cfg) : typed_worker::base(cfg) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[](int x) { return 2 * x; }};
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "typed workers serve a pool with a typed handle") {
  options.workers = 2;
  auto typed = libpool::spawn_typed_pool<typed_worker>(
    system(), options, [this] { return system().spawn<typed_doubler>(); });
  pool = caf::actor_cast<caf::actor>(typed);
  typed = nullptr;
  auto number = client.request(pool, 4);
  check_completed(1);
  CHECK(client.answer_to(number).get<int>() == 8);
}

TEST_CASE_FIXTURE(world, "a request for which the worker has no handler "
                         "completes with unexpected_message") {
  populate(1, [](scripted& self) -> caf::behavior {
    self.set_default_handler(caf::drop);
    return {[](const std::string&) {}};
  });
  auto number = client.request(pool, 4);
  check_completed(1);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == caf::sec::unexpected_message);
}

// -- handlers that throw ------------------------------------------------------

TEST_CASE_FIXTURE(world, "a task fails if its handler throws") {
  options.when_empty = libpool::when_empty::wait;
  populate(2, [](scripted&) -> caf::behavior {
    return {[](int) -> int { crash(); }};
  });
  client.send(pool, 1);
  auto number = client.request(pool, 1);
  run();
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

TEST_CASE_FIXTURE(
  world, "a client gets an error if a handler throws after it has promised") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [](scripted& self) -> caf::behavior {
    return {[&self](int) -> caf::result<int> {
      auto promise = self.make_response_promise();
      crash();
    }};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(books().failed == 1);
  // The first answer counts.
  CHECK(client.answer_to(number).count
        == (test::dropped_promises_answer ? 2 : 1));
  CHECK(client.answer_to(number).error()
        == (test::dropped_promises_answer ? libpool::dropped_request()
                                          : make_error(errc::worker_crashed)));
}

TEST_CASE_FIXTURE(world, "a handler that throws after its answer counts as a "
                         "crash, but the client gets the answer") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [](scripted& self) -> caf::behavior {
    return {[&self](int x) -> caf::result<int> {
      auto promise = self.make_response_promise();
      promise.deliver(2 * x);
      crash();
    }};
  });
  auto number = client.request(pool, 1);
  run();
  CHECK(books().failed == 1);
  CHECK(client.answer_to(number).get<int>() == 2);
}

TEST_CASE_FIXTURE(world,
                  "a task has completed if its worker answers and quits") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [](scripted& self) -> caf::behavior {
    return {[&self](int x) {
      self.quit();
      return 2 * x;
    }};
  });
  auto number = client.request(pool, 1);
  check_completed(1);
  CHECK(client.answer_to(number).get<int>() == 2);
  CHECK(stats().workers == 0);
}

TEST_CASE_FIXTURE(world,
                  "a task has crashed if its worker quits with an error") {
  options.when_empty = libpool::when_empty::wait;
  populate(1, [](scripted& self) -> caf::behavior {
    return {[&self](int) { self.quit(caf::sec::bad_function_call); }};
  });
  client.send(pool, 1);
  run();
  CHECK(books().failed == 1);
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

} // namespace managed_tracking_tests
