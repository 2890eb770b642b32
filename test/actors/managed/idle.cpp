/// Users that wait until a pool has settled all its messages.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <cstdint>
#include <memory>
#include <optional>

using libpool::actor_pool;
using libpool::errc;
using test::scripted;

namespace {

/// A handler of the message n > 0 sends two messages n - 1 to its own pool.
struct crawler_world : test::managed_world {
  scripted::script crawling() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int depth) {
        ++pages;
        for (auto i = 0; depth > 0 && i < 2; ++i)
          caf::anon_send(pool, depth - 1);
      }};
    };
  }

  std::uint64_t await_idle() {
    return client.request(pool, caf::sys_atom{}, libpool::idle_atom{});
  }

  int pages = 0;
};

/// What a pool has told of its idleness; unset: nothing.
using told = std::shared_ptr<std::optional<errc>>;

told when_idle(const caf::actor& pool) {
  auto result = std::make_shared<std::optional<errc>>();
  actor_pool::when_idle(pool, [result](errc why) {
    CHECK(!*result);
    *result = why;
  });
  return result;
}

} // namespace

TEST_CASE_FIXTURE(crawler_world, "a pool is idle when the messages that its "
                                 "handlers have sent are settled, too, and "
                                 "goes on") {
  SUBCASE("with leases") {}
  SUBCASE("without leases") {
    options.leases = false;
  }
  SUBCASE("with windows of two") {
    options.window = 2;
  }
  populate(3, crawling());
  for (auto round = 1; round <= 2; ++round) {
    client.send(pool, 9);
    auto idle = await_idle();
    auto idleness = when_idle(pool);
    while (!is_answered(idle)) {
      CHECK(!*idleness);
      CHECK(pages < round * 1023);
      REQUIRE(step());
    }
    CHECK(client.answer_to(idle).is_empty());
    CHECK(*idleness == errc{});
    CHECK(pages == round * 1023);
    CHECK(books().open() == 0);
  }
}

TEST_CASE_FIXTURE(crawler_world, "an idle pool tells at once that it is idle") {
  populate(1, doubling());
  CHECK(client.answer_to(request(caf::sys_atom{}, libpool::idle_atom{}))
          .is_empty());
  CHECK(*when_idle(pool) == errc{});
  CHECK(result_of(request(4)) == 8);
}

TEST_CASE_FIXTURE(crawler_world, "a pool is not idle while it is paused and "
                                 "messages wait") {
  populate(1, doubling());
  actor_pool::pause(pool);
  client.send(pool, 1);
  auto idle = await_idle();
  run();
  CHECK(!is_answered(idle));
  actor_pool::resume(pool);
  run();
  CHECK(client.answer_to(idle).is_empty());
}

TEST_CASE_FIXTURE(crawler_world, "a pool that has drained tells that it was "
                                 "idle, then that it has ended") {
  populate(2, crawling());
  client.send(pool, 0);
  client.send(pool, 0);
  auto idle = await_idle();
  auto idleness = when_idle(pool);
  auto drained = drain();
  run();
  CHECK(client.answer_to(idle).is_empty());
  CHECK(client.answer_to(drained).is_empty());
  CHECK(*idleness == errc{});
  CHECK(pages == 2);
  CHECK(*when_idle(pool) == errc::pool_closed);
}

TEST_CASE_FIXTURE(crawler_world, "a pool that ends with open messages tells "
                                 "that it will not be idle") {
  told idleness;
  std::uint64_t idle = 0;
  SUBCASE("by an exit message") {
    options.busy_until = libpool::busy_until::answer;
    populate(1, promising());
    client.request(pool, 1);
    client.request(pool, 2);
    idle = await_idle();
    idleness = when_idle(pool);
    exit(pool);
    run();
  }
  SUBCASE("because its last handle is gone and no worker can come") {
    options.when_empty = libpool::when_empty::wait;
    make_empty();
    client.send(pool, 1);
    idle = await_idle();
    idleness = when_idle(pool);
    run();
    CHECK(!*idleness);
    pool = nullptr;
    run();
  }
  CHECK(error_of(idle) == errc::pool_closed);
  CHECK(*idleness == errc::pool_closed);
}
