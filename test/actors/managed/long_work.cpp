/// Work that concerns thousands of messages: the pool does it in portions, and
/// handles other facts in between.

#include "leasing_world.hpp"
#include "support/crew_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace long_work_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using libpool::selection;
using test::from_to;
using test::numbers;
using namespace std::chrono_literals;

constexpr auto many = 2'000;

/// Number of messages of such work before which a new fact is handled, at most:
/// two portions, since the fact may come at the beginning of a round.
constexpr std::size_t portions = 300;

/// A pool whose only worker does not get to run. When the pool has cancelled
/// the first message, and again when it has cancelled half of them, another
/// message, -1, is sent to it.
struct cancelling_world : test::leasing_world {
  cancelling_world() {
    options.on_settled = [this](const libpool::settled_task& settled) {
      note(settled);
    };
  }

  void note(const libpool::settled_task& settled) {
    if (settled.how != outcome::cancelled)
      return;
    ++cancelled;
    if (pool && (cancelled == 1 || cancelled == many / 2)) {
      client.send(pool, -1);
      sent_at.push_back(cancelled);
    } else if (pool && accepted_after.size() < sent_at.size()
               && stats().tasks.accepted > many + accepted_after.size()) {
      accepted_after.push_back(cancelled - sent_at[accepted_after.size()]);
    }
    if (cancelled == 1 && at_first)
      at_first();
  }

  /// Makes the pool, and has messages wait.
  void fill() {
    populate(1);
    request(1, many);
    REQUIRE(stats().tasks.accepted == many);
  }

  /// Requires that each new message was accepted between two portions, and that
  /// no other message was handled.
  void check_portions() {
    CHECK(cancelled == many);
    CHECK(accepted_after.size() == 2);
    for (auto each : accepted_after)
      CHECK(each <= portions);
    run();
    CHECK(seen == numbers{-1, -1});
  }

  std::size_t cancelled = 0;
  /// Numbers of cancelled messages when the new messages were sent.
  std::vector<std::size_t> sent_at;
  /// Numbers of messages that were cancelled between the sending of each new
  /// message and its acceptance.
  std::vector<std::size_t> accepted_after;
  std::function<void()> at_first;
};

void choose_line(cancelling_world& w) {
  SUBCASE("as tasks") {
    w.options.busy_until = libpool::busy_until::answer;
  }
  SUBCASE("in a line for each worker") {
    w.waits_in = cancelling_world::line::of_workers;
  }
  w.choose_shared_line();
}

TEST_CASE("new messages are accepted while thousands of messages are "
          "cancelled, and no cancelled message begins") {
  cancelling_world w;
  choose_line(w);
  w.fill();
  auto counts = actor_pool::cancel(w.pool, selection::of_all());
  CHECK(counts.waiting == many);
  CHECK(w.cancelled == many); // when the caller goes on
  w.check_portions();
}

TEST_CASE("a request to cancel is answered after the clients of the cancelled "
          "messages") {
  cancelling_world w;
  choose_line(w);
  w.fill();
  auto answer = w.client.request(w.pool, caf::sys_atom{},
                                 libpool::cancel_atom{}, selection::of_all());
  CHECK(w.cancelled == many);
  w.run();
  CHECK(w.client.answer_to(answer).get<libpool::cancel_counts>().waiting
        == many);
  w.check_portions();
}

TEST_CASE("new messages are accepted while the deadlines of thousands of "
          "messages pass, and none of these messages begins") {
  cancelling_world w;
  w.options.deadline = 10ms;
  choose_line(w);
  w.fill();
  w.pass(20ms);
  w.run();
  w.check_portions();
}

TEST_CASE("all messages are settled if the pool ends while it cancels them") {
  cancelling_world w;
  choose_line(w);
  w.fill();
  w.at_first = [&] {
    caf::anon_send_exit(w.pool, caf::exit_reason::user_shutdown);
  };
  actor_pool::cancel(w.pool, selection::of_all());
  w.run();
  CHECK(w.cancelled == many);
  CHECK(w.stats().tasks.open() == 0);
}

TEST_CASE("all messages are cancelled if the last handle of the pool goes "
          "meanwhile") {
  cancelling_world w;
  choose_line(w);
  w.fill();
  caf::actor_addr address = w.pool.address();
  w.at_first = [&] { w.pool = nullptr; };
  w.client.request(w.pool, caf::sys_atom{}, libpool::cancel_atom{},
                   selection::of_all());
  w.run();
  CHECK(w.cancelled >= many);
  w.client->inbox.clear();
  w.run();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

TEST_CASE("a pool that drains answers after the clients of all messages that "
          "were cancelled") {
  cancelling_world w;
  choose_line(w);
  w.fill();
  w.at_first = [&] {
    w.client.request(w.pool, caf::sys_atom{}, libpool::drain_atom{});
  };
  actor_pool::cancel(w.pool, selection::of_all());
  w.run();
  CHECK(w.cancelled == many);
}

// -- parts --------------------------------------------------------------------

/// A pool whose messages have thousands of parts. When it looks at the first
/// part, the test acts.
struct parts_world : test::crew_world {
  parts_world() {
    options.id_of = [this](const libpool::message_content& content) {
      auto x = test::first_of(content);
      described.push_back(x);
      if (x == 1 && at_first)
        at_first();
      return libpool::flow_key{x};
    };
  }

  /// Has the pool fail to look at the part.
  void fail_at(int part) {
    options.id_of = [this, part](const libpool::message_content& content) {
      described.push_back(test::first_of(content));
      if (described.back() == part)
        test::crash();
      return libpool::flow_key{0};
    };
  }

  std::size_t place_of(int part) const {
    auto i = std::find(described.begin(), described.end(), part);
    return static_cast<std::size_t>(i - described.begin());
  }

  numbers described;
  std::function<void()> at_first;
};

TEST_CASE_FIXTURE(parts_world, "a message that comes while a message of "
                               "thousands of parts is split goes before most "
                               "of the parts") {
  options.capacity = 2 * many; // so that tasks are made when messages come
  make(test::splitting(*this), {does::answer});
  std::uint64_t other = 0;
  at_first = [&] { other = client.request(pool, numbers{-1}); };
  auto number = request(from_to(1, many));
  CHECK(result_of<numbers>(number).size() == many);
  CHECK(result_of<numbers>(other).size() == 1);
  CHECK(place_of(-1) <= portions);
  CHECK(books().completed == many + 1);
}

TEST_CASE_FIXTURE(parts_world, "a message that is cancelled while it is split "
                               "is answered once, and none of its parts "
                               "begins after that") {
  make(test::splitting(*this), {does::answer});
  at_first = [&] {
    client.request(pool, caf::sys_atom{}, libpool::cancel_atom{},
                   selection::of_all());
  };
  auto number = request(from_to(1, many));
  CHECK(error_of(number) != caf::error{});
  CHECK(begun.size() <= 1);
  CHECK(books().balances());
}

TEST_CASE_FIXTURE(parts_world, "a message fails if the pool ends while the "
                               "message is split") {
  make(test::splitting(*this), {does::answer});
  at_first = [&] { exit(pool); };
  auto number = request(from_to(1, many));
  CHECK(error_of(number) != caf::error{});
  CHECK(begun.size() <= 1);
}

TEST_CASE_FIXTURE(parts_world, "a message that has failed makes no tasks of "
                               "further parts") {
  fail_at(5);
  make(test::splitting(*this), {does::answer});
  auto number = request(from_to(1, many));
  CHECK(error_of(number) == errc::policy_failed);
  CHECK(described.size() <= portions);
  CHECK(begun.size() <= 1);
}

TEST_CASE_FIXTURE(parts_world, "parts of which no task was made count for the "
                               "capacity") {
  options.capacity = many;
  make(test::splitting(*this), {does::answer});
  std::uint64_t other = 0;
  at_first = [&] { other = client.request(pool, from_to(-10, -1)); };
  auto number = request(from_to(1, many));
  CHECK(result_of<numbers>(number).size() == many);
  CHECK(error_of(other) == errc::queue_full);
  CHECK(result_of<numbers>(request(from_to(1, many))).size() == many);
}

TEST_CASE_FIXTURE(parts_world, "a pool that drains finishes a message that it "
                               "has begun to split") {
  make(test::splitting(*this), {does::answer});
  at_first = [&] { drain(); };
  auto number = request(from_to(1, many));
  CHECK(result_of<numbers>(number).size() == many);
}

} // namespace long_work_tests
