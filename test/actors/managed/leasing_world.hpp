#pragma once

#include "support/managed_world.hpp"
#include "support/numbers.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace test {

inline numbers from_to(int first, int last) {
  numbers result(static_cast<std::size_t>(last - first + 1));
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// A pool whose tasks take the time `service`, and whatever else the test does
/// in `during`. The first task of each worker tells the pool how short they
/// are.
struct leasing_world : managed_world {
  explicit leasing_world(std::uint64_t seed = 0) : managed_world(seed) {
    options.on_settled = nullptr;
    notes_fates = false;
  }

  ~leasing_world() {
    finish();
  }

  /// How the messages of the pool wait.
  enum class line {
    of_arrival,
    of_flows,
    of_stealing,
    of_workers,
    of_priorities
  };

  /// Makes the pool, with one kind of line after the other: all messages of a
  /// client are of one flow.
  void populate_each(std::size_t n) {
    SUBCASE("in a line for each worker") {
      waits_in = line::of_workers;
    }
    choose_shared_line();
    populate(n);
  }

  /// Like `populate_each`, without lines of single workers.
  void populate_each_shared(std::size_t n) {
    choose_shared_line();
    populate(n);
  }

  void choose_shared_line() {
    SUBCASE("in the order of arrival") {
      waits_in = line::of_arrival;
    }
    SUBCASE("in flows") {
      waits_in = line::of_flows;
    }
    SUBCASE("with stealing") {
      waits_in = line::of_stealing;
    }
    SUBCASE("by priority") {
      waits_in = line::of_priorities;
    }
  }

  void populate(std::size_t n) {
    options.workers = n;
    pool = spawn([this] { return make_worker(); });
    run();
  }

  /// A pool of `options.workers` such workers.
  caf::actor spawn(const std::function<caf::actor()>& factory) {
    using libpool::actor_pool;
    auto how = waits_in == line::of_flows
                 ? actor_pool::fair_queuing(flows, options)
               : waits_in == line::of_stealing
                 ? actor_pool::work_stealing(homes, options)
               : waits_in == line::of_priorities
                 ? actor_pool::priority(ranks, options)
               : waits_in == line::of_workers
                 ? actor_pool::fair_share(known_costs(), options)
                 : actor_pool::shared_queue(options);
    return actor_pool::make(system(), options.workers, factory, how);
  }

  /// Options with an initial estimate. Without one, the pool makes a task of
  /// each message until the first task has ended.
  static libpool::estimate_options known_costs() {
    libpool::estimate_options result;
    result.initial_estimate = std::chrono::microseconds{1};
    return result;
  }

  caf::actor make_worker() {
    return system().spawn<scripted>([this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        pass(service);
        seen.push_back(x);
        handled_by.push_back(self.id());
        if (during)
          during(self, x);
        return 2 * x;
      }};
    });
  }

  /// Has workers do this while they handle message `x`.
  void at(int x, const std::function<void(scripted&)>& action) {
    during = [=](scripted& self, int each) {
      if (each == x)
        action(self);
    };
  }

  /// Runs to the end, and requires that the pool has given leases.
  void run_leased() {
    run();
    REQUIRE(stats().leases > 0);
  }

  /// Sends asynchronous messages.
  void send(int first, int last) {
    for (auto x = first; x <= last; ++x)
      client.send(pool, x);
  }

  void send_urgent(int x) const {
    caf::anon_send<caf::message_priority::high>(pool, x);
  }

  std::vector<std::uint64_t> request(int first, int last) {
    std::vector<std::uint64_t> result;
    for (auto x = first; x <= last; ++x)
      result.push_back(client.request(pool, x));
    return result;
  }

  numbers sorted() const {
    auto result = seen;
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Handled messages that came before `x` was handled.
  std::size_t place_of(int x) const {
    return static_cast<std::size_t>(std::find(seen.begin(), seen.end(), x)
                                    - seen.begin());
  }

  line waits_in = line::of_arrival;
  libpool::flow_options flows;
  libpool::home_options homes;
  libpool::rank_options ranks;
  std::chrono::nanoseconds service{1000};
  numbers seen;
  std::vector<caf::actor_id> handled_by;
  std::function<void(scripted&, int)> during;
};

} // namespace test
