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

/// The next `count` positions of `size` that get a turn.
names served(turns& t, std::size_t size, std::size_t count) {
  names result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(static_cast<int>(t.next(size)));
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

TEST_CASE("turns go to the positions of a list in ascending order from the "
          "given one on, and start again after the last position") {
  turns t;
  CHECK(served(t, 3, 7) == names{0, 1, 2, 0, 1, 2, 0});
  turns later{2};
  auto copy = later;
  CHECK(served(later, 3, 4) == names{2, 0, 1, 2});
  CHECK(copy.next(3) == 2); // it goes on by itself
  turns assigned;
  assigned = copy;
  CHECK(assigned.next(3) == 0);
  CHECK(copy.next(3) == 0);
}

TEST_CASE(
  "turns start at the first position if the rotation was empty before") {
  turns t{3};
  CHECK(t.with_more(0).next(1) == 0);
  CHECK(t.without(0, 1).with_more(0).next(1) == 0);
  CHECK(t.without(0, 1).next(2) == 0);
}

TEST_CASE("each member keeps its turn, one per round, when other members join "
          "or leave the rotation") {
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
