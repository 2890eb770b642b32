/// Threads that submit requests to a pool whose workers crash, and that ends
/// meanwhile: each future becomes ready once.

#include "in_threads.hpp"
#include "libpool/actors/submit.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <array>
#include <future>
#include <stdexcept>
#include <vector>

namespace {

constexpr auto thread_count = 4U;
constexpr auto request_count = 10'000; // of all threads, half of them in groups

caf::behavior brittle_worker(caf::event_based_actor* self) {
  self->set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
    return caf::error{caf::sec::runtime_error}; // without a word
  });
  return {[](int x) {
    if (x % 50 == 0)
      throw std::runtime_error{"seeded"};
    return 2 * x;
  }};
}

struct tally {
  int results = 0;
  int errors = 0;
  int wrong = 0; // results of other requests, and futures that are never ready

  void count(bool is_result, int result, int x) {
    if (!is_result)
      ++errors;
    else if (result == 2 * x)
      ++results;
    else
      ++wrong;
  }
};

template <class T>
bool comes(const std::future<T>& future) {
  return future.wait_for(test::patience) == std::future_status::ready;
}

void count(std::future<int>& future, int x, tally& sum) {
  if (!comes(future)) {
    ++sum.wrong;
    return;
  }
  try {
    sum.count(true, future.get(), x);
  } catch (const libpool::request_failed&) {
    sum.count(false, 0, x);
  }
}

/// Submits the numbers, and ends the pool after half of them if `ends`.
tally submit_numbers(const caf::actor& pool, int first, int n, bool ends) {
  tally sum;
  std::vector<std::future<int>> alone;
  std::vector<std::future<std::vector<caf::expected<int>>>> groups;
  constexpr auto group_size = 50;
  for (auto i = 0; i < n; ++i) {
    if (ends && i == n / 2 && comes(alone.front())) // so there is a result
      caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    alone.push_back(libpool::submit<int>(pool, first + i));
    if (i % group_size == 0)
      groups.push_back(
        libpool::submit_all<int>(pool, std::vector<int>(group_size, i + 1)));
  }
  for (auto i = 0; i < n; ++i)
    count(alone[static_cast<std::size_t>(i)], first + i, sum);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!comes(groups[i])) {
      ++sum.wrong;
      continue;
    }
    for (auto& each : groups[i].get())
      sum.count(static_cast<bool>(each), each ? *each : 0,
                static_cast<int>(i) * group_size + 1);
  }
  return sum;
}

/// The tallies of all threads together.
tally submit_in_threads(const caf::actor& pool, bool ends) {
  constexpr auto n = request_count / 2 / static_cast<int>(thread_count);
  std::array<tally, thread_count> tallies{};
  test::in_threads(thread_count, [&](unsigned i) {
    tallies.at(i) = submit_numbers(pool, static_cast<int>(i) * n + 1, n,
                                   ends && i == 0);
  });
  tally sum;
  for (auto& each : tallies) {
    sum.results += each.results;
    sum.errors += each.errors;
    sum.wrong += each.wrong;
  }
  return sum;
}

TEST_CASE("each of 10,000 requests of four threads gets one result or one "
          "error while workers crash and the pool ends") {
  test::config config{4};
  caf::actor_system system{config};
  libpool::managed_options options;
  options.workers = 4;
  options.restart.max = request_count;
  options.restart.pause = options.restart.longest_pause = {};
  auto ends = false;
  SUBCASE("the pool ends after all") {}
  SUBCASE("the pool ends meanwhile") {
    ends = true;
  }
  auto pool = libpool::spawn_pool(system, options, brittle_worker);
  auto sum = submit_in_threads(pool, ends);
  CHECK(sum.wrong == 0);
  CHECK(sum.results + sum.errors == request_count);
  CHECK(sum.results > 0);
  CHECK(sum.errors > 0);
  if (!ends)
    CHECK(libpool::actor_pool::stats(pool).tasks.accepted == request_count);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("futures of four threads become ready when the actor system ends "
          "without waiting for its actors") {
  constexpr auto n = 500U;
  std::array<std::vector<std::future<int>>, thread_count> pending;
  // Promises keep the worker, which cannot be destroyed after the system.
  static auto& kept = *new std::vector<caf::response_promise>;
  {
    test::config config{2};
    caf::actor_system system{config};
    system.await_actors_before_shutdown(false);
    auto silent = system.spawn([](caf::event_based_actor* self) {
      return caf::behavior{[self](int) {
        kept.push_back(self->make_response_promise());
        return kept.back();
      }};
    });
    test::in_threads(thread_count, [&](unsigned i) {
      for (auto x = 0U; x < n; ++x)
        pending.at(i).push_back(
          libpool::submit<int>(silent, static_cast<int>(x)));
    });
  }
  for (auto& each : pending)
    for (auto& future : each) {
      REQUIRE(comes(future));
      CHECK_THROWS_AS(future.get(), libpool::request_failed);
    }
}

} // namespace
