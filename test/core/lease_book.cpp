/// Messages that go to a worker together, and those that come back.

#include "libpool/core/lease_book.hpp"

#include "libpool/policies/exact_fair_queuing.hpp"
#include "support/dispatcher_world.hpp"
#include "support/numbered_message.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

using libpool::instant;
using test::numbered_lease;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1s};

/// Numbered messages wait for two workers.
struct leases_world {
  explicit leases_world(
    libpool::composition how = test::composed(libpool::assignment::lazy, false))
    : pool(std::move(how), {}) {
    sent.accepted = start;
  }

  void wait(int from, int to, instant now = start) {
    for (auto x = from; x <= to; ++x)
      waiting.add(waiting.all(), {x}, now);
  }

  void fill(numbered_lease& filled, libpool::duration service, instant now) {
    all.fill(filled, sent, waiting.all(), service, now);
  }

  static int take(numbered_lease& from, instant started = start,
                  instant ended = start) {
    return test::take_number(from, started, ended);
  }

  std::vector<int> all_waiting() {
    std::vector<int> result;
    while (!waiting.empty())
      result.push_back(waiting.take(waiting.all()).content.number);
    return result;
  }

  libpool::dispatcher pool;
  libpool::task sent;
  libpool::worker owner;
  numbered_lease first{owner};
  numbered_lease second{owner};
  test::numbered_book all{pool};
  test::numbered_lines& waiting = all.waiting();
};

} // namespace

TEST_CASE("a lease has at most half of the waiting messages and at most 64, "
          "which take at most 50 microseconds as far as is known") {
  struct row {
    int waiting;
    libpool::duration service;
    std::size_t size; // with the message of the task, which waits no more
  };
  for (const auto& [waiting, service, size] :
       {row{19, 1us, 10}, row{1000, 5us, 10}, row{1000, 1ns, 64},
        row{1000, 51us, 1}, row{1000, 0us, 1}}) {
    leases_world w;
    w.wait(1, waiting);
    w.fill(w.first, service, start);
    CHECK(w.first.size() == size);
    CHECK(w.all.leases().count() == (size > 1 ? 1U : 0U));
    CHECK(w.all_waiting().size() + size == static_cast<unsigned>(waiting) + 1);
  }
}

TEST_CASE_FIXTURE(leases_world,
                  "a worker takes no further messages after 50 microseconds") {
  wait(1, 9);
  fill(first, 1us, start);
  CHECK(take(first, start, start + 50us) == 1);
  CHECK(take(first, start + 50us, start + 51us) == 0);
  CHECK(first.ended() == 1);
  all.leases().ended(first);
  CHECK(all_waiting() == std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE_FIXTURE(
  leases_world,
  "the ends of leased messages are reported once, with their times") {
  wait(1, 9, start - 3us);
  fill(first, 1us, start);
  auto none = first.tell_ends();
  CHECK(none.first == none.last);
  take(first, start, start + 1us);
  take(first, start + 2us, start + 3us);
  auto told = first.tell_ends();
  REQUIRE(told.last - told.first == 2);
  CHECK(told.first->accepted == start);
  CHECK(told.first->started == start);
  CHECK(told.first->ended == start + 1us);
  CHECK(told.first[1].accepted == start - 3us);
  CHECK(told.first[1].started == start + 2us);
  CHECK(told.first[1].ended == start + 3us);
  CHECK(told.last->accepted == start - 3us);
  none = first.tell_ends();
  CHECK(none.first == none.last);
  CHECK(first.unknown() == 2);
}

TEST_CASE_FIXTURE(leases_world,
                  "another worker gets the later half of a lease") {
  wait(1, 19);
  fill(first, 1us, start);
  all_waiting();
  CHECK(take(first) == 1);
  CHECK(all.leases().share());
  CHECK(all_waiting() == std::vector<int>{6, 7, 8, 9});
  CHECK(all.leases().share());
  CHECK(all_waiting() == std::vector<int>{4, 5});
  CHECK(all.leases().share());
  CHECK(all_waiting() == std::vector<int>{3});
  CHECK(all.leases().share());
  CHECK(all_waiting() == std::vector<int>{2});
  CHECK(!all.leases().share());
  CHECK(take(first) == 0);
}

TEST_CASE_FIXTURE(leases_world,
                  "another worker gets messages of the oldest lease whose line "
                  "may go") {
  auto& line = waiting.of(7);
  for (auto x = 101; x <= 109; ++x)
    waiting.add(line, {x}, start);
  all.fill(first, sent, line, 1us, start);
  wait(1, 9);
  fill(second, 1us, start);
  auto before = waiting.size();
  auto may_go = [&](const test::numbered_line& of) { return &of != &line; };
  CHECK(all.leases().share(may_go));
  CHECK(first.left() == 4);
  CHECK(second.left() == 2);
  CHECK(waiting.size() == before + 2);
  CHECK(all.leases().share(may_go));
  CHECK(all.leases().share(may_go));
  CHECK(!all.leases().share(may_go));
  CHECK(first.left() == 4);
  CHECK(second.left() == 0);
  all.leases().ended(first);
}

TEST_CASE_FIXTURE(leases_world,
                  "a lease is overdue when it is older than a millisecond") {
  wait(1, 30);
  fill(first, 1us, start);
  all.leases().take_back_overdue(start + 1000us);
  CHECK(first.left() > 0);
  all.leases().take_back_overdue(start + 1001us);
  CHECK(first.left() == 0);
  CHECK(!all.leases().are_out());
  CHECK(all_waiting().size() == 30);
}

TEST_CASE_FIXTURE(
  leases_world,
  "the oldest message that no worker has begun may be in a lease") {
  wait(1, 3);
  fill(first, 1us, start + 1us);
  REQUIRE(first.left() == 1);
  all_waiting();
  CHECK(all.oldest() == start);
  take(first);
  CHECK(all.oldest() == libpool::never);
  all.leases().ended(first);
}

TEST_CASE_FIXTURE(leases_world,
                  "workers get no leases after leases were closed") {
  all.begin({});
  wait(1, 9);
  all.ended_here(owner);
  CHECK(all.may_go_to(owner));
  fill(first, 1us, start);
  all.close();
  CHECK(first.left() == 0);
  CHECK(!all.may_go_to(owner));
  all.ended_here(owner);
  CHECK(!all.may_go_to(owner));
  all.leases().ended(first);
}

TEST_CASE(
  "a lease takes at most as long as the limit on the duration of leases") {
  libpool::fair_queuing_options options;
  options.guess = 20us;
  auto how = test::composed(libpool::assignment::lazy, false);
  how.order = std::make_unique<libpool::exact_fair_queuing>(options);
  leases_world w{std::move(how)};
  w.all.begin({});
  w.wait(1, 1000);
  w.fill(w.first, 5us, start);
  CHECK(w.first.size() == 4);
  CHECK(w.take(w.first, start, start + 20us) == 1);
  CHECK(w.take(w.first, start + 20us, start + 21us) == 0);
}

TEST_CASE(
  "messages are not leased if an option needs a task for each message") {
  using libpool::lease_obstacles;
  for (auto obstacle :
       {&lease_obstacles::gathers, &lease_obstacles::drops_oldest,
        &lease_obstacles::late_answers, &lease_obstacles::keys,
        &lease_obstacles::places, &lease_obstacles::seats,
        &lease_obstacles::windows, &lease_obstacles::nodes}) {
    leases_world w;
    lease_obstacles against;
    against.*obstacle = true;
    w.all.begin(against);
    CHECK(!w.all.are_on());
    against.*obstacle = false;
    w.all.begin(against);
    CHECK(w.all.are_on());
  }
}

TEST_CASE(
  "messages with deadlines of their own are not leased if each flow has "
  "a line") {
  libpool::waiting_bounds within;
  within.own_deadlines = true;
  leases_world w;
  w.all.begin({}, within);
  CHECK(w.all.are_on());
  auto how = test::composed(libpool::assignment::lazy, false);
  how.order = std::make_unique<libpool::exact_fair_queuing>();
  leases_world flows{std::move(how)};
  flows.all.begin({}, within);
  CHECK(!flows.all.are_on());
}

// -- messages that wait -------------------------------------------------------

TEST_CASE_FIXTURE(leases_world,
                  "messages that are added together wait in their order, each "
                  "with its time of arrival") {
  auto& line = waiting.all();
  waiting.add(line, {1}, instant{1s});
  waiting.add(line, 3, instant{2s},
              [x = 1]() mutable { return test::numbered_message{++x}; });
  waiting.add(line, {5}, instant{2s});
  CHECK(waiting.behind_heads() == 5);
  CHECK(waiting.next_without_head() == nullptr); // needs none
  auto taken = waiting.take(line);
  CHECK(taken.content.number == 1);
  CHECK(taken.came == instant{1s});
  CHECK(line.messages.first_came() == instant{2s});
  waiting.put_back(line, waiting.take(line));
  CHECK(all_waiting() == std::vector<int>{2, 3, 4, 5});
}

TEST_CASE_FIXTURE(leases_world,
                  "the line of a flow is deleted once the flow has neither "
                  "waiting messages nor messages at workers, and leaves no "
                  "messages to a line that reuses its memory") {
  libpool::task head;
  constexpr auto key = 7;
  auto& line = waiting.of(key);
  waiting.add(line, {1}, start);
  waiting.set_head(*waiting.next_without_head(), head);
  waiting.take_with_head(line);
  SUBCASE("no worker has any of its messages") {
    CHECK(waiting.next_without_head() == nullptr);
  }
  SUBCASE("workers end with its messages later") {
    ++line.leases;
    CHECK(waiting.next_without_head() == nullptr);
    CHECK(waiting.find(key) == &line);
    waiting.lease_ended(line);
    CHECK(waiting.next_without_head() == nullptr);
  }
  CHECK(waiting.find(key) == nullptr);
  auto& next = waiting.of(key + 1);
  CHECK(next.key == key + 1);
  CHECK(next.messages.empty());
  CHECK(waiting.find(key) == nullptr);
}
