/// All tasks at one worker, the others steal, on real threads: each one runs
/// once.

#include "in_threads.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <optional>
#include <vector>

using libpool::actor_pool;

namespace {

constexpr unsigned senders = 3;
constexpr std::size_t messages = 20'000; // of each
constexpr auto all = senders * messages;

} // namespace

TEST_CASE("each task runs once, regardless of which worker steals it") {
  std::vector<std::atomic<int>> runs(all);
  std::atomic<std::size_t> settled{0};
  std::promise<void> done;
  {
    test::config config{2};
    caf::actor_system system{config};
    libpool::managed_options options;
    libpool::home_options homes;
    homes.home_of = [](const libpool::message_content& content) {
      return std::optional{content.get_as<std::size_t>(0) % 100 == 0
                             ? std::size_t{1}
                             : std::size_t{0}};
    };
    options.on_settled = [&](const libpool::settled_task&) {
      if (++settled == all)
        done.set_value();
    };
    auto counting = [&runs]() -> caf::behavior {
      return {[&runs](std::size_t number) { ++runs[number]; }};
    };
    auto pool = actor_pool::make(
      system, 4, [&] { return system.spawn(counting); },
      actor_pool::work_stealing(homes, options));
    test::in_threads(senders, [&](unsigned i) {
      for (auto number = i * messages; number < (i + 1) * messages; ++number)
        caf::anon_send(pool, number);
    });
    REQUIRE(done.get_future().wait_for(test::patience)
            == std::future_status::ready);
    auto books = actor_pool::stats(pool).tasks;
    CHECK(books.balances());
    CHECK(books.open() == 0);
    CHECK(books.completed == all);
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
  CHECK(std::all_of(runs.begin(), runs.end(),
                    [](const auto& each) { return each == 1; }));
}
