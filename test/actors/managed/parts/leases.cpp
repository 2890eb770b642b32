/// Messages that go to a worker together, and those that come back.

#include "libpool/actors/managed/leases.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/managed/managed_worker.hpp"

#include <caf/mailbox_element.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <vector>

using libpool::follows;
using libpool::instant;
using libpool::worker_lease;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1s};

caf::mailbox_element_ptr message(int x) {
  return libpool::make_element(nullptr, caf::make_message_id(), x);
}

int number_in(caf::mailbox_element& element) {
  return libpool::content_of(element).get_as<int>(0);
}

/// Messages 1 to n wait; those that are taken are numbers.
struct leases_world {
  void wait(int from, int to, instant now = start) {
    for (auto x = from; x <= to; ++x)
      waiting.add(waiting.all(), message(x), now, follows::yes);
  }

  void fill(worker_lease& filled, libpool::duration service, instant now) {
    all.fill(filled, start, waiting.all(), service, now);
  }

  /// The next message, as its worker takes it; 0 without any.
  int take(worker_lease& from, instant started = start, instant ended = start) {
    caf::mailbox_element_ptr taken{from.take_next(started, ended)};
    return taken != nullptr ? number_in(*taken) : 0;
  }

  std::vector<int> all_waiting() {
    std::vector<int> result;
    while (!waiting.empty())
      result.push_back(number_in(*waiting.take(waiting.all()).element));
    return result;
  }

  libpool::managed_worker owner;
  worker_lease first{owner};
  worker_lease second{owner};
  libpool::waiting_messages waiting;
  libpool::leases all{waiting};
};

} // namespace

TEST_CASE_FIXTURE(leases_world,
                  "a lease has at most half of the waiting messages") {
  wait(1, 19);
  fill(first, 1us, start);
  CHECK(first.size() == 10); // the task, which waits no more, and nine others
  CHECK(all_waiting().size() == 10);
  CHECK(all.count() == 1);
}

TEST_CASE_FIXTURE(leases_world, "the messages that a worker gets in a group "
                                "take at most 50 microseconds in total") {
  wait(1, 1000);
  fill(first, 5us, start);
  CHECK(first.size() == 10);
}

TEST_CASE_FIXTURE(leases_world,
                  "a worker gets at most 64 messages in a group") {
  wait(1, 1000);
  fill(first, 1ns, start);
  CHECK(first.size() == 64);
}

TEST_CASE_FIXTURE(leases_world,
                  "a worker gets messages one by one if messages take longer "
                  "than 50 microseconds or an unknown time") {
  wait(1, 1000);
  fill(first, 51us, start);
  CHECK(first.size() == 1);
  fill(first, 0us, start); // nobody knows
  CHECK(first.size() == 1);
  CHECK(all.count() == 0);
}

TEST_CASE_FIXTURE(
  leases_world,
  "a worker takes the messages of a group in the order of arrival") {
  wait(1, 5);
  fill(first, 1us, start);
  CHECK(take(first) == 1);
  CHECK(take(first) == 2);
  CHECK(take(first) == 0);
  CHECK(all_waiting() == std::vector<int>{3, 4, 5});
}

TEST_CASE_FIXTURE(leases_world,
                  "a worker takes no further messages after 50 microseconds") {
  wait(1, 9);
  fill(first, 1us, start);
  CHECK(take(first, start, start + 50us) == 1);
  CHECK(take(first, start + 50us, start + 51us) == 0);
  CHECK(first.ended() == 1);
  all.ended(first);
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
  CHECK(all.share());
  CHECK(all_waiting() == std::vector<int>{6, 7, 8, 9});
  CHECK(all.share());
  CHECK(all_waiting() == std::vector<int>{4, 5});
  CHECK(all.share());
  CHECK(all_waiting() == std::vector<int>{3});
  CHECK(all.share());
  CHECK(all_waiting() == std::vector<int>{2});
  CHECK(!all.share());
  CHECK(take(first) == 0);
}

TEST_CASE_FIXTURE(leases_world,
                  "messages that are taken back keep their places") {
  wait(1, 30);
  fill(first, 1us, start);
  fill(second, 1us, start);
  CHECK(take(first) == 1);
  CHECK(take(second) == 15);
  all.ended(second);
  all.ended(first);
  auto back = all_waiting();
  REQUIRE(back.size() == 28);
  for (std::size_t i = 1; i < back.size(); ++i)
    CHECK(back[i - 1] < back[i]);
}

TEST_CASE_FIXTURE(leases_world,
                  "a lease is overdue when it is older than a millisecond") {
  wait(1, 30);
  fill(first, 1us, start);
  all.take_back_overdue(start + 1000us);
  CHECK(first.left() > 0);
  all.take_back_overdue(start + 1001us);
  CHECK(first.left() == 0);
  CHECK(!all.are_out());
  CHECK(all_waiting().size() == 30);
}

TEST_CASE_FIXTURE(leases_world,
                  "a message that cannot follow others ends a lease") {
  wait(1, 3);
  waiting.add(waiting.all(), message(4), start, follows::no);
  wait(5, 19);
  fill(first, 1us, start);
  CHECK(first.size() == 4); // the task, and messages 1 to 3
  fill(second, 1us, start);
  CHECK(second.size() == 1);
  CHECK(number_in(*waiting.take(waiting.all()).element) == 4);
  fill(second, 1us, start);
  CHECK(second.size() > 1);
  all.ended(second);
}

TEST_CASE_FIXTURE(leases_world,
                  "each message is counted in one place at a time") {
  auto count = [this] {
    return waiting.behind_heads() + all.untold_messages();
  };
  wait(1, 30);
  fill(first, 1us, start);
  fill(second, 1us, start);
  CHECK(count() == 30);
  CHECK(all.untold_messages() == first.unknown() + second.unknown());
  take(first);
  take(first);
  CHECK(count() == 30);
  auto told = all.tell_ends(first);
  CHECK(told.last - told.first == 2);
  CHECK(count() == 28);
  all.share();
  CHECK(count() == 28);
  all.close();
  CHECK(count() == 28);
  all.ended(first);
  all.ended(second);
  CHECK(all.untold_messages() == 0);
  CHECK(waiting.behind_heads() == 28);
}

TEST_CASE_FIXTURE(leases_world,
                  "workers get no leases after leases were closed") {
  all.turn_on(50us);
  wait(1, 9);
  all.ended_here(owner);
  CHECK(all.may_go_to(owner));
  fill(first, 1us, start);
  all.close();
  CHECK(first.left() == 0);
  CHECK(!all.may_go_to(owner));
  all.ended_here(owner);
  CHECK(!all.may_go_to(owner));
  all.ended(first);
}

TEST_CASE_FIXTURE(
  leases_world,
  "a lease takes at most as long as the limit on the duration of leases") {
  all.turn_on(20us);
  wait(1, 1000);
  fill(first, 5us, start);
  CHECK(first.size() == 4);
  CHECK(take(first, start, start + 20us) == 1);
  CHECK(take(first, start + 20us, start + 21us) == 0);
}

TEST_CASE_FIXTURE(leases_world,
                  "messages of a flow go back to their own queue") {
  auto& line = waiting.of(libpool::flow_key{7});
  for (auto x = 1; x <= 9; ++x)
    waiting.add(line, message(x), start, follows::yes);
  wait(101, 109);
  all.fill(first, start, line, 1us, start);
  CHECK(first.size() == 5);
  CHECK(line.leases == 1);
  CHECK(take(first) == 1);
  all.ended(first);
  CHECK(line.leases == 0);
  std::vector<int> back;
  while (!line.messages.empty())
    back.push_back(number_in(*waiting.take(line).element));
  CHECK(back == std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(all_waiting().size() == 9);
}
