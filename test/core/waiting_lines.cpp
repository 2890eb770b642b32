/// Messages that wait without tasks.

#include "libpool/core/waiting_lines.hpp"

#include "support/numbered_message.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

using libpool::flow_key;
using libpool::instant;
using test::numbered_line;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1s};

struct waiting_world {
  void add(numbered_line& to, int x, instant now = start) {
    waiting.add(to, {x}, now);
  }

  int take(numbered_line& from) {
    return waiting.take(from).content.number;
  }

  int take_with_head(numbered_line& from) {
    return waiting.take_with_head(from).content.number;
  }

  libpool::task head;
  test::numbered_lines waiting;
};

} // namespace

// -- a line -------------------------------------------------------------------

TEST_CASE_FIXTURE(waiting_world,
                  "messages that are added together wait in their order") {
  auto& all = waiting.all();
  add(all, 1, instant{1s});
  waiting.add(all, 3, instant{2s},
              [x = 1]() mutable { return test::numbered_message{++x}; });
  add(all, 5, instant{2s});
  CHECK(waiting.behind_heads() == 5);
  CHECK(take(all) == 1);
  CHECK(all.messages.first_came() == instant{2s});
  for (auto x = 2; x <= 5; ++x) {
    auto next = waiting.take(all);
    CHECK(next.came == instant{2s});
    CHECK(next.content.number == x);
  }
  CHECK(waiting.empty());
}

TEST_CASE_FIXTURE(waiting_world, "messages wait in the order of arrival") {
  auto& all = waiting.all();
  add(all, 1, instant{1s});
  add(all, 2, instant{2s});
  CHECK(waiting.behind_heads() == 2);
  CHECK(all.messages.first_came() == instant{1s});
  auto first = waiting.take(all);
  CHECK(first.came == instant{1s});
  CHECK(first.content.number == 1);
  CHECK(all.messages.first_came() == instant{2s});
  auto second = waiting.take(all);
  CHECK(second.came == instant{2s});
  CHECK(second.content.number == 2);
  CHECK(waiting.empty());
}

TEST_CASE_FIXTURE(waiting_world,
                  "a message that is put back waits in its old place") {
  auto& all = waiting.all();
  for (auto x = 1; x <= 3; ++x)
    add(all, x);
  auto first = waiting.take(all);
  auto second = waiting.take(all);
  waiting.put_back(all, second);
  waiting.put_back(all, first);
  CHECK(waiting.behind_heads() == 3);
  for (auto x = 1; x <= 3; ++x)
    CHECK(take(all) == x);
  CHECK(waiting.empty());
}

// -- lines of flows -----------------------------------------------------------

TEST_CASE_FIXTURE(waiting_world,
                  "messages of each flow wait in their own queue") {
  add(waiting.of(flow_key{1}), 11);
  add(waiting.of(flow_key{2}), 21);
  add(waiting.of(flow_key{1}), 12);
  CHECK(take(waiting.of(flow_key{1})) == 11);
  CHECK(take(waiting.of(flow_key{2})) == 21);
  CHECK(take(waiting.of(flow_key{1})) == 12);
  CHECK(waiting.empty());
}

TEST_CASE_FIXTURE(waiting_world,
                  "a queue with messages needs exactly one head") {
  auto& line = waiting.of(flow_key{7});
  add(line, 1);
  add(line, 2);
  CHECK(waiting.next_without_head() == &line);
  waiting.set_head(line, head);
  CHECK(waiting.next_without_head() == nullptr);
  add(line, 3);
  CHECK(waiting.next_without_head() == nullptr);
  CHECK(waiting.behind_heads() == 2);
}

TEST_CASE_FIXTURE(waiting_world,
                  "a queue needs another head when its head leaves") {
  auto& line = waiting.of(flow_key{7});
  add(line, 1);
  add(line, 2);
  waiting.next_without_head();
  waiting.set_head(line, head);
  CHECK(take_with_head(line) == 1);
  CHECK(waiting.behind_heads() == 1);
  CHECK(waiting.next_without_head() == &line);
}

TEST_CASE_FIXTURE(waiting_world,
                  "a single queue of all messages needs no head") {
  add(waiting.all(), 1);
  CHECK(waiting.next_without_head() == nullptr);
  take(waiting.all());
}

TEST_CASE_FIXTURE(waiting_world,
                  "the queue of a flow is deleted once the flow has neither "
                  "waiting messages nor messages at workers") {
  auto& line = waiting.of(flow_key{7});
  add(line, 1);
  waiting.next_without_head();
  waiting.set_head(line, head);
  take_with_head(line);
  auto hash = flow_key{7}.hash();
  SUBCASE("and no worker has any of its messages") {
    CHECK(waiting.next_without_head() == nullptr);
    CHECK(waiting.find(hash) == nullptr);
  }
  SUBCASE("and workers have ended with its messages") {
    ++line.leases;
    CHECK(waiting.next_without_head() == nullptr);
    CHECK(waiting.find(hash) == &line);
    waiting.lease_ended(line);
    CHECK(waiting.next_without_head() == nullptr);
    CHECK(waiting.find(hash) == nullptr);
  }
}

TEST_CASE_FIXTURE(waiting_world, "a queue that reuses the memory of a deleted "
                                 "queue has no data of the deleted queue") {
  add(waiting.of(flow_key{"a"}), 1);
  waiting.set_head(*waiting.next_without_head(), head);
  take_with_head(waiting.of(flow_key{"a"}));
  CHECK(waiting.next_without_head() == nullptr);
  auto& line = waiting.of(flow_key{"b"});
  CHECK(line.flow.name() == "b");
  CHECK(line.messages.empty());
  CHECK(waiting.find(flow_key{"b"}.hash()) == &line);
  CHECK(waiting.find(flow_key{"a"}.hash()) == nullptr);
}
