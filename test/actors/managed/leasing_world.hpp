#pragma once

#include "support/managed_world.hpp"

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

using numbers = std::vector<int>;

inline numbers from_to(int first, int last) {
  numbers result(static_cast<std::size_t>(last - first + 1));
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// A pool whose tasks take a microsecond, and whatever else the test does in
/// `during`. The first task of each worker tells the pool how short they are.
struct leasing_world : hand_cranked {
  using hand_cranked::hand_cranked;

  ~leasing_world() {
    run();
    if (!pool)
      return;
    auto books = stats().tasks;
    CHECK(books.balances());
    CHECK(books.open() == 0);
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    run();
    caf::actor_addr address = pool.address();
    pool = nullptr;
    client->inbox.clear();
    run();
    CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
  }

  /// Makes the pool, with one order after the other: all messages of a client
  /// are of one flow.
  void populate_each(std::size_t n) {
    SUBCASE("in the order of arrival") {
      goes_by_flow = false;
    }
    SUBCASE("in flows") {
      goes_by_flow = true;
    }
    populate(n);
  }

  void populate(std::size_t n) {
    options.workers = n;
    pool = spawn([this] { return make_worker(); });
    run();
  }

  /// A pool of `options.workers` such workers.
  caf::actor spawn(const std::function<caf::actor()>& factory) {
    if (!goes_by_flow)
      return libpool::spawn_pool(system(), options, factory);
    return libpool::actor_pool::make(
      system(), options.workers, factory,
      libpool::actor_pool::fair_queuing(flows, options));
  }

  caf::actor make_worker() {
    return system().spawn<scripted>([this](scripted& self) -> caf::behavior {
      return {[this, &self](int x) {
        pass(std::chrono::microseconds{1});
        seen.push_back(x);
        handled_by.push_back(self.id());
        if (during)
          during(self, x);
        return 2 * x;
      }};
    });
  }

  /// Sends asynchronous messages.
  void send(int first, int last) {
    for (auto x = first; x <= last; ++x)
      client.send(pool, x);
  }

  void send_urgent(int x) const {
    caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
      libpool::make_element(
        nullptr, caf::make_message_id(caf::message_priority::high), x),
      nullptr);
  }

  std::vector<std::uint64_t> request(int first, int last) {
    std::vector<std::uint64_t> result;
    for (auto x = first; x <= last; ++x)
      result.push_back(client.request(pool, x));
    return result;
  }

  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(pool);
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

  probe client{*this};
  libpool::managed_options options;
  bool goes_by_flow = false;
  libpool::flow_options flows;
  caf::actor pool;
  numbers seen;
  std::vector<caf::actor_id> handled_by;
  std::function<void(scripted&, int)> during;
};

} // namespace test
