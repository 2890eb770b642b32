/// Many tenants, real threads: all is completed or refused with a reason, and
/// the books balance.

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;

namespace {

constexpr std::size_t senders = 3;
constexpr int messages = 20'000; // of each
constexpr int period = 5'000;    // of crashes, in messages of a sender
constexpr int flows = 40;
constexpr std::size_t all = senders * messages;
constexpr std::size_t crashes = all / period;

struct two_threads : test::config {
  two_threads() : test::config(2) {
    // nop
  }
};

/// Holds back workers until it is opened.
class gate {
public:
  void open() {
    const std::lock_guard guard{mutex_};
    is_open_ = true;
    opened_.notify_all();
  }

  void pass() {
    if (is_open_)
      return;
    std::unique_lock guard{mutex_};
    opened_.wait(guard, [&] { return is_open_.load(); });
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  std::atomic<bool> is_open_{false};
};

/// Waits at the gate, and crashes once in a while.
class worker final : public caf::event_based_actor {
public:
  worker(caf::actor_config& cfg, gate& entry)
    : caf::event_based_actor(cfg), entry_(entry) {
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error};
    });
  }

  caf::behavior make_behavior() override {
    return {[this](int, int number) {
      entry_.pass();
      if (number % period == period - 1)
        throw std::runtime_error{"crash"};
    }};
  }

private:
  gate& entry_;
};

/// Counts the ends of tasks, and waits for the last one.
class fates {
public:
  void note(const libpool::settled_task& settled) {
    const std::lock_guard guard{mutex_};
    ++how_.at(static_cast<std::size_t>(settled.how));
    if (settled.how == outcome::refused)
      all_full_ = all_full_ && settled.reason == errc::flow_full;
    ++settled_;
    changed_.notify_all();
  }

  bool wait_for(std::size_t n) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, test::patience,
                             [&] { return settled_ >= n; });
  }

  std::size_t of(outcome how) {
    const std::lock_guard guard{mutex_};
    return how_.at(static_cast<std::size_t>(how));
  }

  bool all_refusals_say_full() {
    const std::lock_guard guard{mutex_};
    return all_full_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::size_t, 4> how_{};
  std::size_t settled_ = 0;
  bool all_full_ = true;
};

/// Whether workers are held back until the first message is refused, or all are
/// sent.
enum class start { at_once, held };

libpool::ledger settle_everything(libpool::flow_options how,
                                  start workers = start::at_once) {
  fates seen;
  gate entry;
  if (workers == start::at_once)
    entry.open();
  two_threads config;
  caf::actor_system system{config};
  libpool::managed_options options;
  how.flow_of = libpool::flow_by<int>([](int flow) { return flow; });
  how.width_of = [](const libpool::message_content& content) {
    return static_cast<std::size_t>(1 + content.get_as<int>(1) % 6);
  };
  options.restart.max = 1'000;
  options.restart.pause = 0ms;
  options.on_settled = [&](const libpool::settled_task& settled) {
    seen.note(settled);
    if (settled.how == outcome::refused)
      entry.open();
  };
  auto pool = actor_pool::make(
    system, 4, [&] { return system.spawn<worker>(entry); },
    actor_pool::fair_queuing(std::move(how), options));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < senders; ++i)
    threads.emplace_back([&] {
      for (auto number = 0; number < messages; ++number)
        caf::anon_send(pool, number % flows, number);
    });
  for (auto& each : threads)
    each.join();
  entry.open();
  REQUIRE(seen.wait_for(all));
  auto books = actor_pool::stats(pool).tasks;
  CHECK(books.balances());
  CHECK(books.open() == 0);
  CHECK(books.accepted + books.refused == all);
  CHECK(books.completed == seen.of(outcome::completed));
  CHECK(books.failed == seen.of(outcome::failed));
  CHECK(books.refused == seen.of(outcome::refused));
  CHECK(seen.of(outcome::cancelled) == 0);
  CHECK(seen.all_refusals_say_full());
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return books;
}

} // namespace

TEST_CASE(
  "fair queuing in mode exact settles all messages, even if workers crash and "
  "messages take several seats") {
  auto books = settle_everything({});
  CHECK(books.failed == crashes);
  CHECK(books.refused == 0);
}

TEST_CASE("fair queuing in mode exact settles all messages, even if the queues "
          "of flows are full") {
  libpool::flow_options order;
  order.queue_limit = 20;
  order.most_flows = 10;
  auto books = settle_everything(order, start::held);
  CHECK(books.refused > 0);
  CHECK(books.completed > 0);
}

TEST_CASE("fair queuing in mode kubernetes settles all messages") {
  libpool::flow_options order;
  order.mode = libpool::fair_mode::kubernetes;
  settle_everything(order);
}
