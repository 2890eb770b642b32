#pragma once

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A pool that notes which worker has done which task, in which order.
struct strategy_world : managed_world {
  using managed_world::managed_world;

  /// Workers that take so long for each message; the i-th one `times[i]`.
  void make(const libpool::policy& how,
            const std::vector<std::chrono::milliseconds>& times) {
    pool = libpool::actor_pool::make(system(), how);
    for (auto each : times)
      add(each);
    run();
  }

  /// The policy, whose messages have no keys.
  libpool::policy managed(const libpool::recipe& how) const {
    libpool::message_functions asked;
    if (how.placement.name() == "consistent_hash")
      asked.key_of = [](const libpool::message_content&) {
        return std::optional<std::uint64_t>{};
      };
    return libpool::actor_pool::managed(how, options, asked);
  }

  void add(std::chrono::milliseconds time) {
    auto index = static_cast<int>(added++);
    auto worker = system().spawn<scripted>([=](scripted&) -> caf::behavior {
      return {[=](int x) {
        done.emplace_back(index, x);
        pass(time);
        return 2 * x;
      }};
    });
    by_worker.push_back(worker);
    CHECK(put(worker).is_empty());
  }

  ~strategy_world() {
    finish();
    for (auto& each : by_worker)
      exit(each, caf::exit_reason::user_shutdown);
  }

  /// Sends 1, 2, …, n, each once the one before it is done.
  void send_one_by_one(int n) {
    for (auto x = 1; x <= n; ++x) {
      caf::anon_send(pool, x);
      run();
    }
  }

  void send_at_once(int n) {
    for (auto x = 1; x <= n; ++x)
      caf::anon_send(pool, x);
    run();
  }

  /// The workers of the tasks, in the order in which they began.
  std::vector<int> workers_in_order() const {
    std::vector<int> result;
    for (const auto& each : done)
      result.push_back(each.first);
    return result;
  }

  /// The numbers of the tasks, in the order in which they began.
  std::vector<int> numbers_in_order() const {
    std::vector<int> result;
    for (const auto& each : done)
      result.push_back(each.second);
    return result;
  }

  std::size_t added = 0;
  std::vector<caf::actor> by_worker;
  std::vector<std::pair<int, int>> done;
};

inline int first_of(const libpool::message_content& content) {
  return content.get_as<int>(0);
}

/// The text of the std::invalid_argument that `refused` throws, if any.
template <class Refused>
std::string complaint(Refused refused) {
  try {
    refused();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace test
