/// Pools that give leases although each message gets its worker on arrival.

#include "leasing_world.hpp"
#include "libpool/core/composition.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/order/priority.hpp"
#include "support/brittle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

using test::from_to;
using test::leasing_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Chooses the offered worker with the fewest tasks in flight.
class fewest_in_flight final : public libpool::placement {
public:
  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.push_back(&worker);
  }

  void withdrawn(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.erase(std::find(offered_.begin(), offered_.end(), &worker));
  }

  void assigned(libpool::worker&, libpool::task&,
                libpool::instant) noexcept override {
    // nop
  }

  void unassigned(libpool::worker&, libpool::task&,
                  libpool::instant) noexcept override {
    // nop
  }

  libpool::worker* choose(const libpool::task& task,
                          libpool::instant now) noexcept override {
    return offered_.empty() ? nullptr : choose_among(offered_, task, now);
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return *std::min_element(
      some.begin(), some.end(),
      [](const auto* x, const auto* y) { return x->in_flight < y->in_flight; });
  }

private:
  std::vector<libpool::worker*> offered_;
};

libpool::key_options
by_key(const std::function<std::optional<std::uint64_t>(int)>& key) {
  libpool::key_options result;
  result.key_of = [key](const libpool::message_content& content) {
    return key(content.get_as<int>(0));
  };
  return result;
}

} // namespace

TEST_CASE("messages with one key are begun in the order of acceptance with "
          "leases, even if some crash their workers and are retried") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::map<int, int> runs;
    leasing_world w{seed};
    w.options.on_crash = libpool::retry{1};
    w.options.restart.pause = 0ns;
    w.options.restart.max = 1000;
    w.during = [&](scripted& self, int x) {
      if (++runs[x] == 1 && x % 31 == 0)
        self.quit(test::crash_reason);
    };
    auto how =
      by_key([](int x) { return std::optional<std::uint64_t>(x % 5); });
    w.pool = libpool::actor_pool::make(
      w.system(), 3, [&] { return w.make_worker(); },
      libpool::actor_pool::consistent_hash(how, w.options));
    w.send(1, 200);
    for (auto i = 0; i < 50; ++i)
      w.step();
    w.send(201, 400);
    w.run_leased();
    std::map<int, int> last;
    for (auto x : w.seen) {
      CAPTURE(x);
      CHECK(x >= last[x % 5]); // equal: a retry
      last[x % 5] = x;
    }
    for (auto x = 1; x <= 400; ++x)
      CHECK(runs[x] == (x % 31 == 0 ? 2 : 1));
    CHECK(w.stats().retries == 400 / 31);
  }
}

TEST_CASE_FIXTURE(leasing_world,
                  "a message whose key_of throws is refused, and no other one, "
                  "while messages wait for their workers") {
  options.capacity = 80;
  auto how = by_key([](int x) {
    if (x % 10 == 0)
      throw std::runtime_error{"no key"};
    return std::optional<std::uint64_t>(x % 3);
  });
  pool = libpool::actor_pool::make(
    system(), 2, [this] { return make_worker(); },
    libpool::actor_pool::consistent_hash(how, options));
  auto ids = request(1, 100);
  run_leased();
  auto told = stats();
  CHECK(told.refusals[libpool::errc::policy_failed] == 10);
  CHECK(told.refused > 10); // the pool was full
  CHECK(told.tasks.completed + told.refused == 100);
  for (auto each : ids)
    CHECK(client.answer_to(each).count == 1);
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages that wait for a stuck worker go to another worker "
                  "when the deadline of the stuck task has passed") {
  options.deadline = 10ms;
  options.workers = 2;
  pool = libpool::actor_pool::make(
    system(), 2, [this] { return make_worker(); },
    libpool::actor_pool::managed_round_robin(options));
  send(1, 2);
  run();
  test::numbers before;
  test::numbers after;
  auto later = [this] {
    test::numbers result;
    for (auto x : sorted())
      if (x > 100)
        result.push_back(x);
    return result;
  };
  at(20, [&](scripted&) {
    pass(5ms);
    send(101, 140); // every other one waits for this worker
    run();
    before = later();
    advance(6ms); // beyond the deadline of message 20, and of no later one
    after = later();
  });
  send(3, 100);
  run_leased();
  CHECK(before.size() == 20);
  CHECK(after == from_to(101, 140));
  CHECK(later() == after);            // no message is handled twice
  CHECK(stats().tasks.cancelled > 0); // 20, and those behind it
}

TEST_CASE_FIXTURE(leasing_world,
                  "a pool that drains handles the messages that wait for their "
                  "workers, and then ends") {
  waits_in = line::of_workers;
  populate(2);
  send(1, 100);
  auto end = client.request(pool, caf::sys_atom{}, libpool::drain_atom{});
  auto late = client.request(pool, 101);
  run();
  CHECK(sorted() == from_to(1, 100));
  CHECK(client.answer_to(end).count == 1);
  CHECK(client.answer_to(late).error() == libpool::errc::pool_closed);
}

TEST_CASE_FIXTURE(leasing_world,
                  "messages that wait for a worker count as its tasks, and as "
                  "assigned") {
  waits_in = line::of_workers;
  populate(1);
  libpool::pool_stats told;
  at(30, [&](scripted&) { told = libpool::actor_pool::stats(pool); });
  send(1, 100);
  run_leased();
  CHECK(told.tasks.completed == 29);
  CHECK(told.tasks.waiting == 0);
  CHECK(told.tasks.completed + told.tasks.assigned + told.tasks.sent
          + told.tasks.running
        == 100);
  REQUIRE(told.members.size() == 1);
  CHECK(told.members[0].in_flight == 71);
}

TEST_CASE_FIXTURE(leasing_world,
                  "with eager assignment, pools with a placement of the user "
                  "give leases, whatever the order") {
  auto has_priorities = false;
  SUBCASE("the order is that of arrival") {}
  SUBCASE("the order goes by priorities") {
    has_priorities = true;
  }
  auto parts = [=] {
    libpool::composition result;
    if (has_priorities)
      result.order = std::make_unique<libpool::priority>();
    else
      result.order = std::make_unique<libpool::fifo>();
    result.placement = std::make_unique<fewest_in_flight>();
    result.assignment = libpool::assignment::eager;
    return result;
  };
  pool = libpool::actor_pool::make(
    system(), 2, [this] { return make_worker(); },
    libpool::actor_pool::managed(parts, options));
  send(1, 100);
  run();
  CHECK(sorted() == from_to(1, 100));
  CHECK(stats().leases > 0);
  CHECK(stats().tasks.completed == 100);
}
