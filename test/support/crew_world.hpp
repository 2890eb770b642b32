#pragma once

#include "support/managed_world.hpp"
#include "support/numbers.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A part for each number.
inline libpool::message_parts one_each(caf::message& message) {
  libpool::message_parts result;
  for (auto x : message.get_as<numbers>(0))
    result.push_back(caf::make_message(x));
  return result;
}

inline const libpool::gather_options ordered{std::nullopt, false, true};
inline const libpool::gather_options what_came{std::nullopt, true, false};
inline const libpool::gather_options ordered_what_came{std::nullopt, true,
                                                       true};

/// A managed pool whose workers each behave as the test says, and that notes
/// which worker has begun which number.
struct crew_world : managed_world {
  using managed_world::managed_world;
  using milliseconds = std::chrono::milliseconds;

  enum class does { answer, fail, crash, nothing, promise, quit, skip };

  ~crew_world() {
    finish();
  }

  void make(const libpool::policy& how) {
    pool = libpool::actor_pool::make(system(), how);
    run();
  }

  /// Makes the pool. Worker i does `scripts[i]` with each number; an answer is
  /// 100 i more.
  void make(const libpool::policy& how, const std::vector<does>& scripts) {
    pool = libpool::actor_pool::make(system(), how);
    for (auto each : scripts)
      add(each);
    run();
  }

  /// Makes the pool. Worker i doubles each number, in the time `times[i]`.
  void make(const libpool::policy& how,
            const std::vector<milliseconds>& times) {
    make(how);
    for (auto each : times)
      add(each);
  }

  void add(milliseconds time) {
    auto i = static_cast<int>(by_worker.size());
    add([=](scripted&) -> caf::behavior {
      return {[=](int x) {
        begun.emplace_back(i, x);
        pass(time);
        return 2 * x;
      }};
    });
    run();
  }

  void add(does action) {
    auto i = static_cast<int>(by_worker.size());
    add([=](scripted& self) -> caf::behavior {
      if (action == does::skip) {
        self.set_default_handler(caf::skip);
        return {[](caf::ok_atom) {}};
      }
      return {[=, &self](int x) -> caf::result<int> {
                begun.emplace_back(i, x);
                return act(action, self, 100 * i + x);
              },
              [=](caf::ok_atom, std::size_t number, const caf::message& y) {
                std::exchange(promises.at(number), {}).deliver(y);
              }};
    });
  }

  void add(scripted::script script) {
    by_worker.push_back(system().spawn<scripted>(std::move(script)));
    put_by_request(by_worker.back());
  }

  caf::result<int> act(does action, scripted& self, int result) {
    switch (action) {
      case does::answer:
        return result;
      case does::fail:
        return caf::make_error(caf::sec::invalid_argument);
      case does::crash:
        crash();
      case does::quit:
        self.quit(caf::exit_reason::user_shutdown);
        return result;
      default:
        holders.push_back(&self);
        promises.push_back(self.make_response_promise());
        return caf::delegated<int>{};
    }
  }

  /// Adds a worker, and runs nothing.
  void put_by_request(const caf::actor& worker) {
    client.request(pool, caf::sys_atom{}, caf::put_atom{}, worker);
  }

  /// Has the worker that gave promise number `i` keep it.
  template <class T>
  void keep(std::size_t i, const T& with) {
    if (promises.at(i).pending())
      caf::anon_send(caf::actor{holders.at(i)}, caf::ok_atom{}, i,
                     caf::make_message(with));
    run();
  }

  void keep_all() {
    for (std::size_t i = 0; i < promises.size(); ++i)
      keep(i, 1);
  }

  /// Sends 1, 2, …, n, each after the end of the one before.
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
  numbers workers_in_order() const {
    return all_of(&std::pair<int, int>::first);
  }

  /// The numbers of the tasks, in the order in which they began.
  numbers numbers_in_order() const {
    return all_of(&std::pair<int, int>::second);
  }

  std::string text(const reply& reply) {
    return libpool::render(reply.error(), system());
  }

  libpool::policy queue() const {
    return libpool::actor_pool::shared_queue(options);
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

  /// Ends the pool, and the workers that are not in it any more.
  void finish() {
    managed_world::finish();
    for (auto& each : by_worker)
      exit(each, caf::exit_reason::user_shutdown);
    by_worker.clear();
    run();
  }

  std::vector<caf::actor> by_worker;
  std::vector<std::pair<int, int>> begun; // workers and numbers

private:
  numbers all_of(int std::pair<int, int>::*part) const {
    numbers result;
    for (const auto& each : begun)
      result.push_back(each.*part);
    return result;
  }
};

inline libpool::policy splitting(const crew_world& w,
                                 libpool::gather_options options = {}) {
  return libpool::actor_pool::managed_split_join<numbers>(
    append, one_each, numbers{}, options, w.queue());
}

} // namespace test
