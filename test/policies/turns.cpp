#include "libpool/policies/turns.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

using libpool::turns;

namespace {

using names = std::vector<int>;

/// The next `count` members that get a turn.
names served(turns& t, const names& members, std::size_t count) {
  names result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(members[t.next(members.size())]);
  return result;
}

names numbered(std::size_t size) {
  names result(size);
  for (std::size_t i = 0; i < size; ++i)
    result[i] = static_cast<int>(i);
  return result;
}

/// A set of members, and the order in which they are due: a new one comes after
/// the last position, before the first.
struct model {
  names members;
  std::deque<int> due;

  void add(int name) {
    auto first = members.empty()
                   ? due.end()
                   : std::find(due.begin(), due.end(), members.front());
    if (first == due.begin())
      first = due.end();
    due.insert(first, name);
    members.push_back(name);
  }

  void remove(std::size_t at) {
    due.erase(std::find(due.begin(), due.end(), members[at]));
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(at));
  }

  int next() {
    auto result = due.front();
    due.pop_front();
    due.push_back(result);
    return result;
  }
};

} // namespace

TEST_CASE("turns go to the positions of a list in ascending order, and start "
          "again after the last position") {
  turns t;
  CHECK(served(t, {10, 11, 12}, 7) == names{10, 11, 12, 10, 11, 12, 10});
}

TEST_CASE(
  "the first turn is at the position that was passed to the constructor") {
  turns t{2};
  CHECK(served(t, {10, 11, 12}, 4) == names{12, 10, 11, 12});
}

TEST_CASE(
  "a copy of turns continues independently from the position of the original") {
  turns t{1};
  auto copy = t;
  turns assigned;
  assigned = t;
  CHECK(t.next(5) == 1);
  CHECK(copy.next(5) == 1);
  CHECK(assigned.next(5) == 1);
  CHECK(copy.next(5) == 2);
  CHECK(t.next(5) == 2);
}

TEST_CASE("when a member leaves the rotation, the other members keep their "
          "turns, whichever member is next") {
  for (std::size_t size = 2; size <= 6; ++size)
    for (std::size_t taken = 0; taken < 2 * size; ++taken)
      for (std::size_t gone = 0; gone < size; ++gone) {
        CAPTURE(size);
        CAPTURE(taken);
        CAPTURE(gone);
        auto members = numbered(size);
        turns before;
        served(before, members, taken);
        auto after = before.without(gone, size);
        auto expected = served(before, members, size);
        expected.erase(std::find(expected.begin(), expected.end(), gone));
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(gone));
        CHECK(served(after, members, size - 1) == expected);
      }
}

TEST_CASE("when a member joins the rotation, the other members keep their "
          "turns, whichever member is next") {
  for (std::size_t size = 1; size <= 6; ++size)
    for (std::size_t taken = 0; taken < 2 * size; ++taken) {
      CAPTURE(size);
      CAPTURE(taken);
      turns before;
      served(before, numbered(size), taken);
      auto after = before.with_more(size);
      auto expected = served(before, numbered(size), size);
      auto last = std::find(expected.begin(), expected.end(), size - 1);
      expected.insert(last + 1, static_cast<int>(size));
      CHECK(served(after, numbered(size + 1), size + 1) == expected);
    }
}

TEST_CASE(
  "turns start at the first position if the rotation was empty before") {
  turns t{3};
  CHECK(t.with_more(0).next(1) == 0);
  CHECK(t.without(0, 1).with_more(0).next(1) == 0);
  CHECK(t.without(0, 1).next(2) == 0);
}

TEST_CASE(
  "each member has one turn per round while other members join and leave") {
  CHECK(rc::check("turns behave like a list", [] {
    turns t;
    model m;
    auto joined = 0;
    for (auto roll : *rc::gen::arbitrary<std::vector<unsigned>>()) {
      if (roll % 4 == 0 || m.members.empty()) {
        t = t.with_more(m.members.size());
        m.add(joined++);
      } else if (roll % 4 == 1) {
        auto gone = roll / 4 % m.members.size();
        t = t.without(gone, m.members.size());
        m.remove(gone);
      } else {
        RC_ASSERT(m.members[t.next(m.members.size())] == m.next());
      }
    }
  }));
}
