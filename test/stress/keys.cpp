/// Messages of one key while workers are paused and replaced.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

using libpool::actor_pool;
using libpool::pause_scope;

namespace {

/// Two workers that note their numbers; all messages have the same key.
struct one_key {
  one_key() {
    libpool::key_options by_key;
    by_key.key_of = [](const libpool::message_content&) {
      return std::optional<std::uint64_t>{7};
    };
    libpool::managed_options base;
    base.window = 16;
    auto worker = [this] {
      workers.push_back(system.spawn(noting, this));
      return workers.back();
    };
    pool = actor_pool::make(system, 2, worker,
                            actor_pool::consistent_hash(by_key, base));
  }

  one_key(const one_key&) = delete;
  one_key& operator=(const one_key&) = delete;

  ~one_key() {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  static caf::behavior noting(caf::event_based_actor*, one_key* to) {
    return {[to](int x) {
      std::lock_guard guard{to->mutex};
      to->seen.push_back(x);
    }};
  }

  std::vector<int> all_seen(std::size_t n) {
    REQUIRE(test::comes_true([&] {
      std::lock_guard guard{mutex};
      return seen.size() == n;
    }));
    std::lock_guard guard{mutex};
    return seen;
  }

  std::mutex mutex;
  std::vector<int> seen;
  test::config settings{4};
  caf::actor_system system{settings};
  std::vector<caf::actor> workers;
  caf::actor pool;
};

} // namespace

TEST_CASE_FIXTURE(one_key, "messages of a key stay in order while their worker "
                           "is paused, their pool is, or the key moves") {
  std::function<void(std::size_t)> disturb;
  SUBCASE("a worker is paused") {
    disturb = [this](std::size_t round) {
      auto which = pause_scope::of_worker(workers[round % 2]);
      actor_pool::pause(pool, which);
      actor_pool::resume(pool, which);
    };
  }
  SUBCASE("the pool is paused") {
    disturb = [this](std::size_t) {
      actor_pool::pause(pool);
      actor_pool::resume(pool);
    };
  }
  SUBCASE("a worker leaves, and another one joins") {
    disturb = [this](std::size_t) {
      actor_pool::resize(pool, 1);
      actor_pool::resize(pool, 2);
    };
  }
  constexpr std::size_t rounds = 1000;
  constexpr std::size_t at_once = 16;
  auto next = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < at_once; ++i)
      caf::anon_send(pool, next++);
    disturb(round);
  }
  auto all = all_seen(rounds * at_once);
  CHECK(std::is_sorted(all.begin(), all.end()));
}
