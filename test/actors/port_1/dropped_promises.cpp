/// Requests that workers drop.

#include "support/managed_world.hpp"

namespace dropped_promises_tests {

using libpool::actor_pool;
using libpool::managed_options;
using std::chrono_literals::operator""s;

namespace {

caf::behavior dropping(caf::event_based_actor* self) {
  return {[self](int) { return self->make_response_promise<int>(); }};
}

struct world : test::hand_cranked {
  world() {
    options.workers = 1;
    options.on_settled = [this](const libpool::settled_task& task) {
      ++settled;
      CHECK(task.how == libpool::outcome::completed);
      had_error = task.answered_with_error;
    };
  }

  /// Asks a pool of such workers, and has a look into its books.
  void check(const caf::actor& pool) {
    auto reply = client.ask(pool, 1);
    CHECK(reply.count == 1);
    CHECK(reply.error() == caf::sec::broken_promise);
    auto tasks = actor_pool::stats(pool).tasks;
    CHECK(tasks.completed == 1);
    CHECK(tasks.balances());
    CHECK(settled == 1);
    stop(pool);
  }

  managed_options options;
  int settled = 0;
  bool had_error = false;
  test::probe client{*this};
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a client gets an error if its worker drops the promise") {
  check(libpool::spawn_pool(system(), options, dropping));
  CHECK(!had_error); // the pool does not see the answer
}

TEST_CASE_FIXTURE(world, "a pool that intercepts replies counts a dropped "
                         "promise as an error answer") {
  SUBCASE("with a deadline") {
    options.deadline = 1s;
  }
  SUBCASE("with retries, which apply only to crashes") {
    options.on_crash = libpool::retry{};
  }
  SUBCASE("with workers that are busy until they answer") {
    options.busy_until = libpool::busy_until::answer;
  }
  check(libpool::spawn_pool(system(), options, dropping));
  CHECK(had_error);
}

TEST_CASE_FIXTURE(
  world, "a client of a pool of pools gets an error for a dropped promise") {
  auto inner = [this] { return libpool::spawn_pool(system(), 1, dropping); };
  check(
    libpool::spawn_pool(system(), options, std::function<caf::actor()>{inner}));
}

} // namespace dropped_promises_tests
