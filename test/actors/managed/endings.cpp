/// Workers, replacements and tasks that end in unusual ways.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace managed_endings_tests {

using namespace std::chrono_literals;

using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;
using world = managed_world;

namespace {

/// Throws when it is copied while the fuse burns.
struct touchy {
  touchy() = default;

  touchy(const touchy&) {
    if (burns)
      throw std::runtime_error{"do not touch"};
  }

  touchy& operator=(const touchy&) = default;

  static inline bool burns = false;
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, touchy& value) {
  return libpool::inspect_fields(f, value, "touchy");
}

} // namespace

} // namespace managed_endings_tests

LIBPOOL_TEST_MESSAGE_TYPE(1, managed_endings_tests::touchy)

namespace managed_endings_tests {

TEST_CASE_FIXTURE(
  world, "RESIZE does not count workers that have quit but are still alive") {
  options.busy_until = libpool::busy_until::answer;
  options.window = 2;
  options.when_empty = libpool::when_empty::wait;
  test::probe silent{*this};
  populate(3, [this, &silent](scripted& self) -> caf::behavior {
    return {[this, &self, to = silent.handle()](int x) {
      promises.push_back(self.make_response_promise());
      if (x == 0) {
        self.quit();
        self.request(to, caf::infinite, 1).then([](int) {});
      }
      return promises.back();
    }};
  });
  for (auto x : {0, 0, 1, 1, 1, 1})
    client.request(pool, x);
  run();
  REQUIRE(workers().size() == 1);
  client.ask(pool, caf::sys_atom{}, libpool::resize_atom{}, std::uint64_t{1});
  CHECK(workers().size() == 1);
  silent->inbox.clear(); // now they may go
  while (!promises.empty()) {
    promises.clear();
    run();
  }
}

TEST_CASE_FIXTURE(
  world, "a replacement that terminates before it has joined is replaced") {
  options.restart.max = 5;
  options.restart.pause = 0ms;
  options.restart.longest_pause = 0ms;
  auto made = 0;
  populate_by(1, [this, &made] {
    auto result = system().spawn<scripted>([](scripted&) -> caf::behavior {
      return {[](int x) {
        if (x == 0)
          crash();
        return x;
      }};
    });
    if (++made == 2) {
      kill(result);
      run();
    }
    return result;
  });
  client.ask(pool, 0);
  CHECK(made == 3);
  CHECK(stats().workers == 1);
  CHECK(client.ask(pool, 5).get<int>() == 5);
}

TEST_CASE_FIXTURE(world, "a message whose content throws when copied is "
                         "refused, and the pool continues") {
  options.on_crash = libpool::retry{1};
  populate(1, [](scripted&) -> caf::behavior {
    return {[](const touchy&) {}, [](int x) { return 2 * x; }};
  });
  auto element = libpool::make_element(client.pointer(),
                                       caf::make_message_id(77), touchy{});
  touchy::burns = true;
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(std::move(element),
                                                       nullptr);
  touchy::burns = false;
  run();
  auto answer = client.answer_to(77);
  if (test::kept_messages_are_copies)
    CHECK(answer.error() == errc::policy_failed);
  else
    CHECK(answer.is_empty()); // handled
  CHECK(client.ask(pool, 5).get<int>() == 10);
}

TEST_CASE_FIXTURE(world, "on_settled gets the client, however a task ends") {
  options.deadline = 10ms;
  std::vector<bool> was_client;
  on_settled = [this, &was_client](const libpool::settled_task& settled) {
    was_client.push_back(settled.client == client.pointer()
                         && settled.id.is_request());
  };
  auto seen = std::make_shared<std::vector<int>>();
  populate(1, test::doubling(seen));
  client.ask(pool, 1);
  client.request(pool, 2);
  client.request(pool, 3);
  advance(11ms);
  exit(pool, caf::exit_reason::user_shutdown);
  run();
  client.ask(pool, 4);
  CHECK(was_client == std::vector<bool>(4, true));
  CHECK(fates.back().how == outcome::refused);
  CHECK(fates.back().accepted == libpool::never);
  on_settled = nullptr;
}

} // namespace managed_endings_tests
