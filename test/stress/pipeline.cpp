/// Pipelines with real threads: many items, bounded, each one comes out once.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"
#include "support/soak.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>

using libpool::collect;
using libpool::errc;
using libpool::function_stage;
using libpool::generate;
using libpool::pool_stage;

namespace {

struct world {
  caf::actor adder() {
    return system.spawn(
      []() -> caf::behavior { return {[](int x) { return x + 1; }}; });
  }

  test::config config{4};
  caf::actor_system system{config};
};

auto up_to(int n) {
  return [n, i = 0]() mutable {
    return i < n ? std::optional<int>{i++} : std::nullopt;
  };
}

/// Waits for the end of the pipeline; returns why it has ended.
caf::error end_of(caf::actor_system& system, const caf::actor& line) {
  caf::error result;
  caf::scoped_actor self{system};
  self->monitor(line);
  self->receive([&](const caf::down_msg& message) { result = message.reason; });
  return result;
}

void check_bounds(const libpool::pipeline_stats& books) {
  std::size_t credits = 0;
  for (auto& each : books.stages) {
    CHECK(each.most_held <= each.credit);
    credits += each.credit;
  }
  CHECK(books.most_in_line <= credits);
  CHECK(books.in_line == 0);
}

constexpr auto less = test::sanitized() ? 20 : 1;

/// The most that the process has had so far, in KiB.
long most_memory() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

} // namespace

TEST_CASE_FIXTURE(world,
                  "a million items pass three stages with memory for a few") {
  constexpr auto n = 1'000'000 / less;
  std::vector<std::uint8_t> seen(n);
  auto twice_seen = 0;
  auto needed_early = 0L;
  auto line = libpool::spawn_pipeline(
    system, generate(up_to(n))
              | function_stage("add", [](int x) { return x + 1; })
              | function_stage("subtract", [](int x) { return x - 1; })
              | collect([&](int x) {
                  twice_seen += seen[static_cast<std::size_t>(x)]++;
                  if (x == n / 10)
                    needed_early = most_memory();
                }));
  CHECK_FALSE(end_of(system, line));
  auto needed_later = most_memory() - needed_early;
  // Ten bytes an item; but sanitizers keep freed memory.
  CHECK((less > 1 || needed_later < n * 10 / 1024));
  auto books = libpool::pipeline::stats(line);
  check_bounds(books);
  CHECK(books.completed == n);
  CHECK(twice_seen == 0);
  CHECK(std::count(seen.begin(), seen.end(), 1) == n);
}

TEST_CASE_FIXTURE(
  world, "items pass pools once each, in ordered and unordered pipelines") {
  constexpr auto n = 100'000 / less;
  for (auto ordered : {false, true}) {
    CAPTURE(ordered);
    std::vector<int> seen;
    libpool::pipeline_options options;
    options.ordered = ordered;
    libpool::stage_options several;
    several.workers = 3;
    auto line = libpool::spawn_pipeline(
      system,
      generate(up_to(n))
        | function_stage(
          "add", [](int x) { return x + 1; }, several)
        | pool_stage<int, int>("add again", 4, [this] { return adder(); })
        | collect([&](int x) { seen.push_back(x); }),
      options);
    CHECK_FALSE(end_of(system, line));
    auto books = libpool::pipeline::stats(line);
    check_bounds(books);
    CHECK(books.completed == n);
    if (!ordered)
      std::sort(seen.begin(), seen.end());
    CHECK(seen.size() == n);
    auto wrong = 0;
    auto expected = 2;
    for (auto x : seen)
      wrong += x == expected++ ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE_FIXTURE(
  world,
  "clients that send at the same time get exactly one answer for each item") {
  constexpr auto clients = 4;
  constexpr auto each_sends = 10'000 / less;
  std::atomic<int> completed{0};
  std::atomic<int> failed{0};
  std::atomic<int> refused{0};
  std::atomic<int> wrong{0};
  auto no_sevens = [](int x) {
    return x % 7 == 0 ? throw std::runtime_error{"7"} : x;
  };
  auto line = libpool::spawn_pipeline(
    system, function_stage("sevens", no_sevens, {64})
              | pool_stage<int, int>("add", 2, [this] { return adder(); },
                                     libpool::actor_pool::least_used(), {64}));
  std::vector<caf::actor> senders;
  auto send = [&](caf::event_based_actor* self, int n) {
    for (auto x = 0; x < n; ++x)
      self->request(line, caf::infinite, x)
        .then([&, x](int y) { ++(y == x + 1 ? completed : wrong); },
              [&](const caf::error& why) {
                ++(why == errc::stage_failed ? failed : refused);
              });
  };
  for (auto i = 0; i < clients; ++i)
    senders.push_back(system.spawn(send, each_sends));
  for (auto& each : senders)
    CHECK_FALSE(end_of(system, each));
  libpool::pipeline::drain(line);
  CHECK(end_of(system, line) == caf::exit_reason::user_shutdown);
  auto books = libpool::pipeline::stats(line);
  check_bounds(books);
  CHECK(wrong == 0);
  CHECK(completed + failed + refused == clients * each_sends);
  CHECK(books.completed == static_cast<std::uint64_t>(completed));
  CHECK(books.failed == static_cast<std::uint64_t>(failed));
  CHECK(books.refused == static_cast<std::uint64_t>(refused));
}

TEST_CASE_FIXTURE(world,
                  "pipelines that are drained or killed at any time end") {
  for (auto i = 0; i < 200; ++i) {
    auto forever = [n = 0]() mutable { return std::optional<int>{n++}; };
    libpool::stage_options two;
    two.workers = 2;
    auto line = libpool::spawn_pipeline(
      system, generate(forever)
                | function_stage(
                  "add", [](int x) { return x + 1; }, two)
                | collect([](int) {}));
    while (libpool::pipeline::stats(line).completed
           < static_cast<std::uint64_t>(i)) {
      // it is at work
    }
    if (i % 2 == 0)
      libpool::pipeline::drain(line);
    else
      caf::anon_send_exit(line, caf::exit_reason::kill);
    static_cast<void>(end_of(system, line));
    check_bounds(libpool::pipeline::stats(line));
  }
}

TEST_CASE_FIXTURE(world, "of items that are cancelled together, a stage begins "
                         "none that waits when another one frees its worker") {
  constexpr auto n = 200U;
  std::atomic<unsigned> begun{0};
  auto until_stopped = [&begun](caf::event_based_actor* self) {
    return caf::behavior{[self, &begun](int x) {
      ++begun;
      auto task = libpool::this_task(self);
      CHECK(test::comes_true([&] { return task.stop_requested(); }));
      return x;
    }};
  };
  libpool::managed_options how;
  how.id_of = libpool::flow_by<int>([](int x) { return x; });
  for (auto round = 0; round < 100; ++round) {
    begun = 0;
    auto line = libpool::spawn_pipeline(
      system, pool_stage<int, int>(
                "work", 1, [&] { return system.spawn(until_stopped); },
                libpool::actor_pool::shared_queue(how), {n}));
    auto send = [&line](caf::event_based_actor* self) {
      for (auto i = 0U; i < n; ++i)
        self->send(line, 1);
    };
    system.spawn(send);
    auto is_full = [&] {
      return begun == 1 && libpool::pipeline::stats(line).in_line == n;
    };
    REQUIRE(test::comes_true(is_full));
    libpool::pipeline::cancel(line, libpool::selection::of_all());
    libpool::pipeline::drain(line);
    CHECK(end_of(system, line) == caf::exit_reason::user_shutdown);
    CHECK(begun.load() == 1);
    CHECK(libpool::pipeline::stats(line).cancelled == n);
  }
}
