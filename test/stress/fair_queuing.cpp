/// Many tenants, real threads: all is completed or refused with a reason, and
/// the books balance.

#include "in_threads.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <mutex>
#include <stdexcept>
#include <utility>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;

namespace {

constexpr unsigned senders = 3;
constexpr int messages = 20'000; // of each
constexpr int period = 5'000;    // of crashes, in messages of a sender
constexpr int flows = 40;
constexpr std::size_t all = std::size_t{senders} * messages;
constexpr std::size_t crashes = all / period;

/// Crashes once in a while.
class worker final : public caf::event_based_actor {
public:
  worker(caf::actor_config& cfg, std::shared_future<void> opened)
    : caf::event_based_actor(cfg), opened_(std::move(opened)) {
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error};
    });
  }

  caf::behavior make_behavior() override {
    return {[this](int, int number) {
      opened_.wait();
      if (number % period == period - 1)
        throw std::runtime_error{"crash"};
    }};
  }

private:
  std::shared_future<void> opened_;
};

/// Whether workers are held back until the first message is refused, or all are
/// sent.
enum class start { at_once, held };

libpool::ledger settle_everything(libpool::flow_options how,
                                  start workers = start::at_once) {
  std::array<std::atomic<std::size_t>, 4> settled{};
  std::atomic<std::size_t> total{0};
  std::atomic<bool> all_full{true};
  std::promise<void> is_over;
  std::promise<void> opener;
  std::once_flag opens;
  auto open = [&] { std::call_once(opens, [&] { opener.set_value(); }); };
  if (workers == start::at_once)
    open();
  test::config config{2};
  caf::actor_system system{config};
  libpool::managed_options options;
  how.flow_of = libpool::flow_by<int>([](int flow) { return flow; });
  how.width_of = [](const libpool::message_content& content) {
    return static_cast<std::size_t>(1 + content.get_as<int>(1) % 6);
  };
  options.restart.max = 1'000;
  options.restart.pause = 0ms;
  options.on_settled = [&](const libpool::settled_task& task) {
    ++settled.at(static_cast<std::size_t>(task.how));
    if (task.how == outcome::refused) {
      if (task.reason != errc::flow_full)
        all_full = false;
      open();
    }
    if (++total == all)
      is_over.set_value();
  };
  auto opened = opener.get_future().share();
  auto pool = actor_pool::make(
    system, 4, [&] { return system.spawn<worker>(opened); },
    actor_pool::fair_queuing(std::move(how), options));
  test::in_threads(senders, [&](unsigned) {
    for (auto number = 0; number < messages; ++number)
      caf::anon_send(pool, number % flows, number);
  });
  open();
  REQUIRE(is_over.get_future().wait_for(test::patience)
          == std::future_status::ready);
  auto books = actor_pool::stats(pool).tasks;
  auto count = [&](outcome kind) {
    return settled.at(static_cast<std::size_t>(kind)).load();
  };
  CHECK(books.balances());
  CHECK(books.open() == 0);
  CHECK(books.accepted + books.refused == all);
  CHECK(books.completed == count(outcome::completed));
  CHECK(books.failed == count(outcome::failed));
  CHECK(books.refused == count(outcome::refused));
  CHECK(count(outcome::cancelled) == 0);
  CHECK(all_full);
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
