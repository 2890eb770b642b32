/// Pools that gather, with clients and workers in all threads: each message is
/// answered once, by the results of its own parts, also while workers die.

#include "libpool/pool.hpp"
#include "support/config.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using libpool::actor_pool;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t message_count = 2'000;
#else
constexpr std::int64_t message_count = 20'000;
#endif

constexpr std::size_t client_count = 3;

class echo final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](std::int64_t x) { return x; }};
  }
};

/// The answers that a client got.
struct returns {
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  std::int64_t errors = 0;
};

/// Sends so many numbers, 32 at a time, and checks that each answer is `factor`
/// times its number.
class client final : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, caf::actor pool, std::int64_t factor,
         std::promise<returns> finished)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      factor_(factor),
      done_(std::move(finished)) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (auto i = 0; i < 32; ++i)
      ask();
    return {};
  }

private:
  void ask() {
    auto x = ++asked_;
    request(pool_, caf::infinite, x)
      .then(
        [this, x](std::int64_t result) {
          ++(result == factor_ * x ? returns_.right : returns_.wrong);
          go_on();
        },
        [this](const caf::error&) {
          ++returns_.errors;
          go_on();
        });
  }

  void go_on() {
    ++answered_;
    if (asked_ < message_count)
      return ask();
    if (answered_ < asked_)
      return;
    done_.set_value(returns_);
    quit();
  }

  caf::actor pool_;
  std::int64_t factor_;
  std::promise<returns> done_;
  returns returns_;
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
};

void add(std::int64_t& to, caf::message& x) {
  to += x.get_as<std::int64_t>(0);
}

libpool::message_parts into_six(caf::message& message) {
  return libpool::message_parts(6, message);
}

void to_all(libpool::worker_tasks& tasks, caf::message& message) {
  for (auto& task : tasks)
    task.second = message;
}

struct way {
  std::string name;
  std::int64_t factor;
  actor_pool::policy how;
};

std::vector<way> ways() {
  using sum = std::int64_t;
  return {{"direct split_join", 4, actor_pool::split_join<sum>(add, to_all)},
          {"split_join", 6, actor_pool::managed_split_join<sum>(add, into_six)},
          {"split_join by least_used", 6,
           actor_pool::managed_split_join<sum>(add, into_six, 0, {},
                                               actor_pool::least_used())},
          {"broadcast_all", 4, actor_pool::broadcast_all<sum>(add)},
          {"first_success", 1, actor_pool::first_success(2)},
          {"quorum", 2, actor_pool::quorum<sum>(3, 2, add)},
          {"hedged", 1, actor_pool::hedged(std::chrono::microseconds{20}, 50)}};
}

returns all_of(std::vector<std::future<returns>>& some) {
  returns result;
  for (auto& each : some) {
    auto part = each.get();
    result.right += part.right;
    result.wrong += part.wrong;
    result.errors += part.errors;
  }
  return result;
}

/// Clients that go on while `meanwhile` is called again and again.
template <class F>
returns run(caf::actor_system& system, const caf::actor& pool,
            std::int64_t factor, F meanwhile) {
  std::vector<std::future<returns>> results;
  for (std::size_t i = 0; i < client_count; ++i) {
    std::promise<returns> finished;
    results.push_back(finished.get_future());
    system.spawn<client>(pool, factor, std::move(finished));
  }
  while (results.back().wait_for(std::chrono::milliseconds{1})
         != std::future_status::ready)
    meanwhile();
  return all_of(results);
}

} // namespace

TEST_CASE("each message is answered with the results of its own parts") {
  test::config config;
  caf::actor_system system{config};
  for (const auto& each : ways()) {
    CAPTURE(each.name);
    auto pool = actor_pool::make(
      system, 4, [&] { return system.spawn<echo>(); }, each.how);
    auto total = run(system, pool, each.factor, [] {});
    CHECK(total.right == message_count * std::int64_t{client_count});
    CHECK(total.errors == 0);
    CHECK(total.wrong == 0);
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
}

TEST_CASE("each message is answered with the results of its own parts, or with "
          "an error, while workers are killed") {
  test::config config;
  caf::actor_system system{config};
  std::mt19937 draw{7};
  for (const auto& each : ways()) {
    if (each.name == "direct split_join" || each.name == "broadcast_all")
      continue; // how many workers there are varies
    CAPTURE(each.name);
    auto pool = actor_pool::make(
      system, 6, [&] { return system.spawn<echo>(); }, each.how);
    caf::scoped_actor self{system};
    auto replace_one = [&] {
      std::vector<caf::actor> workers;
      self->request(pool, caf::infinite, caf::sys_atom{}, caf::get_atom{})
        .receive([&](std::vector<caf::actor>& all) { workers.swap(all); },
                 [](const caf::error&) {});
      caf::anon_send(pool, caf::sys_atom{}, caf::put_atom{},
                     caf::actor{system.spawn<echo>()});
      if (workers.size() > 4)
        caf::anon_send_exit(workers[draw() % workers.size()],
                            caf::exit_reason::kill);
    };
    auto total = run(system, pool, each.factor, replace_one);
    CHECK(total.right + total.errors
          == message_count * std::int64_t{client_count});
    CHECK(total.wrong == 0);
    CHECK(total.right > total.errors);
    CHECK(actor_pool::stats(pool).tasks.balances());
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
}
