/// Clients of other programs, which send whatever bytes they like.

#include "libpool/pool.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/nodes/protocol/transport.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using libpool::actor_pool;
using libpool::errc;

namespace {

/// Squares numbers, tells the numbers of its tasks, waits until it is asked to
/// stop, and never answers other messages.
caf::behavior squarer(caf::event_based_actor* self) {
  return {[](std::int32_t x) { return x * x; },
          [self](caf::ok_atom, std::int32_t x) {
            auto task = libpool::this_task(self);
            auto end = std::chrono::steady_clock::now() + test::patience;
            while (!task.stop_requested()
                   && std::chrono::steady_clock::now() < end)
              std::this_thread::yield();
            return task.stop_requested() ? x : -x;
          },
          [self](caf::get_atom) {
            return static_cast<std::int32_t>(libpool::this_task(self).number());
          },
          [promises = std::make_shared<std::vector<caf::response_promise>>(),
           self](const std::string&) {
            promises->push_back(self->make_response_promise());
            return caf::delegated<void>{};
          }};
}

enum end_of_wire : std::size_t { of_pool, of_client };

/// A line between a pool and its only client.
struct wire : std::enable_shared_from_this<wire> {
  libpool::transport_opener opener(end_of_wire which);

  /// The user at an end becomes another one.
  void set(end_of_wire which, std::shared_ptr<libpool::transport_user> user) {
    std::lock_guard guard{mutex};
    users.at(which) = std::move(user);
  }

  std::shared_ptr<libpool::transport_user> user(end_of_wire which) {
    std::lock_guard guard{mutex};
    return users.at(which);
  }

  /// Loses all messages from now on.
  void cut() {
    set(of_pool, nullptr);
    set(of_client, nullptr);
  }

  std::mutex mutex;
  std::array<std::shared_ptr<libpool::transport_user>, 2> users;
};

class wire_end final : public libpool::transport {
public:
  wire_end(std::shared_ptr<wire> by, end_of_wire which)
    : by_(std::move(by)), which_(which) {
    // nop
  }

  ~wire_end() override {
    by_->set(which_, nullptr);
  }

  wire_end(const wire_end&) = delete;
  wire_end& operator=(const wire_end&) = delete;

  void say(const std::string&, std::string_view message) override {
    auto to = by_->user(which_ == of_pool ? of_client : of_pool);
    auto bytes = std::make_shared<std::string>(message);
    if (to != nullptr)
      to->heard(which_ == of_pool ? "" : "client", {bytes, *bytes});
  }

  std::size_t most_bytes() const noexcept override {
    return std::size_t{1} << 20U;
  }

private:
  const std::shared_ptr<wire> by_;
  const end_of_wire which_;
};

libpool::transport_opener wire::opener(end_of_wire which) {
  return [by = shared_from_this(),
          which](const std::shared_ptr<libpool::transport_user>& user) {
    by->set(which, user);
    user->came_up();
    return std::make_shared<wire_end>(by, which);
  };
}

/// A served pool, and a client as `connect` makes one.
struct served_world {
  served_world() : served_world(2, actor_pool::shared_queue(options())) {
    // nop
  }

  served_world(std::size_t workers, const libpool::policy& by)
    : pool(actor_pool::make(
      system, workers, [this] { return system.spawn(squarer); }, by)) {
    libpool::detail::serve_clients(pool, {}, line->opener(of_pool));
    libpool::managed_options queue;
    queue.when_empty = libpool::when_empty::wait;
    queue.on_settled = [this](const libpool::settled_task& task) {
      if (task.how == libpool::outcome::failed)
        failed.set_value(task.reason);
    };
    libpool::node_options nodes;
    nodes.lease = 1s;
    auto base = actor_pool::distributed(nodes, actor_pool::shared_queue(queue));
    auto how = *base.managed();
    how.patience = 60s;
    client = actor_pool::make(system, libpool::policy{std::move(how)});
    libpool::detail::serve_nodes(client, line->opener(of_client));
  }

  served_world(const served_world&) = delete;
  served_world& operator=(const served_world&) = delete;

  ~served_world() {
    for (const auto& each : {client, pool})
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  }

  /// Sends a content as it is, which the client's own pool would handle itself
  /// if it came the ordinary way.
  void send(caf::message content) {
    auto me = caf::actor_cast<caf::strong_actor_ptr>(self);
    libpool::actor_behind(client).enqueue(
      libpool::make_work(me, caf::make_message_id(), std::move(content)),
      nullptr);
  }

  std::int32_t square_of(std::int32_t x) {
    std::int32_t result = 0;
    self->request(client, 60s, x)
      .receive(
        [&](std::int32_t square) { result = square; },
        [&](const caf::error& why) { FAIL(libpool::render(why, system)); });
    return result;
  }

  /// The pool knows the clients of running messages by their ids.
  static libpool::managed_options options() {
    libpool::managed_options result;
    result.id_of = [](const libpool::message_content& content) {
      return libpool::flow_key{
        content.match_elements<caf::ok_atom, std::int32_t>() ? "waits" : "is"};
    };
    return result;
  }

  std::shared_ptr<wire> line = std::make_shared<wire>();
  std::promise<caf::error> failed; // reason of the first task that fails
  test::config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  caf::actor pool;
  caf::actor client;
};

/// A served pool of one worker that handles great numbers first.
struct served_by_priority : served_world {
  served_by_priority()
    : served_world(1, actor_pool::priority(ranks(), options())) {
    // nop
  }

  static libpool::rank_options ranks() {
    libpool::rank_options result;
    result.priority_of = [](const libpool::message_content& content) {
      return content.match_elements<caf::ok_atom, std::int32_t>()
               ? std::int64_t{content.get_as<std::int32_t>(1)}
               : 0;
    };
    return result;
  }
};

} // namespace

TEST_CASE_FIXTURE(
  served_world,
  "a client's message that would end a worker does not reach the pool") {
  CHECK(square_of(7) == 49);
  constexpr auto kill = caf::exit_reason::kill;
  for (auto i = 0; i < 4; ++i)
    send(caf::make_message(caf::exit_msg{caf::actor_addr{}, kill}));
  send(caf::make_message(caf::sys_atom{}, caf::get_atom{}));
  CHECK(square_of(8) == 64);
  auto seen = actor_pool::stats(pool);
  CHECK(seen.workers == 2);
  CHECK(seen.tasks.accepted == 2);
}

TEST_CASE_FIXTURE(served_world,
                  "a request fails with front_lost, not with a crash of a "
                  "worker, if the connection to the serving program breaks") {
  CHECK(square_of(7) == 49);
  caf::error answer;
  auto lost = self->request(client, 60s, std::string{"for ever"});
  CHECK(square_of(8) == 64); // the front has both
  line->cut();
  lost.receive([] {}, [&](const caf::error& why) { answer = why; });
  CHECK(answer == errc::front_lost);
  CHECK(failed.get_future().get() == errc::front_lost);
}

TEST_CASE_FIXTURE(served_world,
                  "a handler of a message of another program sees the task of "
                  "the pool that serves") {
  auto fail = [&](const caf::error& why) {
    FAIL(libpool::render(why, system));
  };
  for (auto number = 1; number <= 2; ++number)
    self->request(pool, 60s, caf::get_atom{})
      .receive([&](std::int32_t seen) { CHECK(seen == number); }, fail);
  self->request(client, 60s, caf::get_atom{})
    .receive([](std::int32_t seen) { CHECK(seen == 3); }, fail);
}

TEST_CASE_FIXTURE(served_world,
                  "a client of another program cancels its own messages "
                  "through its handle, and no others") {
  auto others = self->request(pool, 60s, caf::ok_atom{}, std::int32_t{1});
  auto ask = [&] {
    return self->request(client, 60s, caf::ok_atom{}, std::int32_t{2});
  };
  auto first = ask();
  auto seen = [&] { return actor_pool::stats(pool).tasks; };
  REQUIRE(test::comes_true([&] { return seen().running == 2; }));
  constexpr auto n = 200U;
  std::vector<decltype(first)> waiting;
  for (auto i = 0U; i < n; ++i)
    waiting.push_back(ask());
  REQUIRE(test::comes_true([&] { return seen().accepted == n + 2; }));
  using libpool::selection;
  auto me = caf::actor_cast<caf::strong_actor_ptr>(self);
  auto counts = actor_pool::cancel(client, selection::of_client(me));
  CHECK(counts.waiting + counts.running == n + 1);
  auto fail = [&](const caf::error& why) {
    FAIL_CHECK(libpool::render(why, system));
  };
  first.receive([](std::int32_t x) { CHECK(x == 2); }, fail);
  auto begun = 0;
  caf::error answer;
  for (auto& each : waiting)
    each.receive([&](std::int32_t) { ++begun; },
                 [&](const caf::error& why) { answer = why; });
  CHECK(begun == 0); // when the first one had freed its worker
  CHECK(answer == errc::cancelled);
  CHECK(test::comes_true([&] { return seen().running == 1; }));
  CHECK(actor_pool::cancel(pool, selection::of_id("waits")).running == 1);
  others.receive([](std::int32_t x) { CHECK(x == 1); }, fail);
}

TEST_CASE_FIXTURE(served_by_priority,
                  "no message of a client that cancels all begins when another "
                  "one has freed its worker, in any order of the pool") {
  auto others = self->request(pool, 60s, caf::ok_atom{}, std::int32_t{1});
  auto seen = [&] { return actor_pool::stats(pool).tasks; };
  REQUIRE(test::comes_true([&] { return seen().running == 1; }));
  constexpr auto n = std::int32_t{200};
  std::vector<decltype(others)> mine;
  for (std::int32_t i = 0; i < n; ++i)
    mine.push_back(self->request(client, 60s, caf::ok_atom{}, 100 + i));
  REQUIRE(test::comes_true([&] { return seen().accepted == n + 1; }));
  const auto all_of_me =
    libpool::selection::of_client(caf::actor_cast<caf::strong_actor_ptr>(self));
  CHECK(actor_pool::cancel(pool, all_of_me).running == 1);
  others.receive([](std::int32_t x) { CHECK(x == 1); },
                 [](const caf::error&) { FAIL_CHECK("it answers itself"); });
  REQUIRE(test::comes_true(
    [&] { return seen().running == 1 && seen().waiting == n - 1; }));
  auto counts = actor_pool::cancel(client, all_of_me);
  CHECK(counts.waiting + counts.running == n);
  auto begun = 0;
  for (auto& each : mine)
    each.receive([&](std::int32_t) { ++begun; }, [](const caf::error&) {});
  CHECK(begun == 1); // the one that ran
}
