/// The parts of policies: heaps, a hash table, turns and random draws.

#include "libpool/policies/direct/random_draws.hpp"
#include "libpool/policies/direct/turns.hpp"
#include "libpool/policies/order/object_heap.hpp"
#include "libpool/policies/order/slot_table.hpp"
#include "support/chi_squared.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

using libpool::virtual_time;

namespace {

struct element {
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  std::size_t number = 0;
  std::uint32_t heap_slot = in_no_heap;

  bool is_in_heap() const {
    return heap_slot != in_no_heap;
  }
};

struct larger_number_first {
  static bool goes_first(const element& x, const element& y) {
    return x.number > y.number;
  }

  static void rose(const element&, std::size_t) {
    // nop
  }
};

using heap = libpool::object_heap<element, virtual_time, larger_number_first>;

struct lower_first {
  bool operator()(std::uint32_t x, std::uint32_t y) const {
    return x < y;
  }
};

struct listed_hash {
  std::uint64_t operator()(std::uint32_t number) const {
    return (*all)[number];
  }

  const std::vector<std::uint64_t>* all;
};

} // namespace

TEST_CASE("a heap reports the new depth of each element that moves up because "
          "another element moves down or is removed") {
  using rises = std::vector<std::pair<std::uint32_t, std::size_t>>;
  libpool::indexed_heap<lower_first> tried{lower_first{}};
  for (std::uint32_t i = 0; i < 6; ++i) // the last one is below the second one
    tried.put(i, virtual_time{i});
  rises risen;
  auto note = [&](std::uint32_t element, std::size_t depth) {
    risen.emplace_back(element, depth);
  };
  tried.put(0, virtual_time{10}, note);
  CHECK(risen == rises{{1, 0}, {5, 1}});
  risen.clear();
  tried.put(0, virtual_time{0}, note);
  CHECK(risen.empty());
  tried.remove(0, note);
  CHECK(risen == rises{{1, 0}});
  CHECK(tried.size() == 5);
  CHECK_FALSE(tried.contains(0));
  CHECK_FALSE(tried.contains(12345));
}

TEST_CASE("the destructor of a heap removes all objects from the heap") {
  std::array<element, 3> all{};
  {
    heap tried;
    for (auto& each : all)
      tried.put(each, virtual_time{});
    tried.remove(all[1]);
    CHECK(all[0].is_in_heap());
  }
  for (const auto& each : all)
    CHECK_FALSE(each.is_in_heap());
}

// Many keys are equal, and the clock of the keys wraps around.
TEST_CASE("the top of a heap is the object that a full search finds, after any "
          "insertions, moves and removals") {
  CHECK(rc::check("the top of a heap of objects agrees with a scan", [] {
    constexpr std::size_t most = 40;
    std::vector<element> all(most);
    for (std::size_t i = 0; i < most; ++i)
      all[i].number = i;
    std::vector<std::optional<std::int64_t>> keys(most);
    heap tried;
    auto rank = [&](const element& of) {
      auto key = keys[of.number];
      return std::tuple{!key, key, most - of.number};
    };
    auto rolls = *rc::gen::container<std::vector<std::size_t>>(
      500, rc::gen::inRange(std::size_t{0}, most * 64));
    for (auto roll : rolls) {
      auto& changed = all[roll % most];
      auto& key = keys[roll % most];
      if (key && roll / most % 4 == 0) {
        tried.remove(changed);
        key.reset();
      } else {
        key = static_cast<std::int64_t>(roll / most / 4) - 8;
        tried.put(changed, virtual_time{} + *key);
      }
      RC_ASSERT(changed.is_in_heap() == key.has_value());
      const auto& first = *std::min_element(
        all.begin(), all.end(),
        [&](const element& x, const element& y) { return rank(x) < rank(y); });
      RC_ASSERT(tried.empty() != first.is_in_heap());
      RC_ASSERT(tried.empty() || &tried.top() == &first);
    }
  }));
}

TEST_CASE("a table finds its entries, and no others, after any insertions and "
          "erasures") {
  CHECK(rc::check("a table behaves like a map", [] {
    constexpr std::uint32_t most = 200;
    // Few different low bits, round the end of the table too, for collisions;
    // and equal upper bits.
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < most; ++i)
      hashes.push_back((i % 3 << 32U) + (i << 12U) + (60 + i % 7) % 64);
    libpool::slot_table<listed_hash> table{listed_hash{&hashes}};
    std::map<std::uint64_t, std::uint32_t> plain;
    auto rolls = *rc::gen::container<std::vector<std::uint32_t>>(
      400, rc::gen::inRange(0U, most));
    for (auto number : rolls) {
      auto hash = hashes[number];
      if (plain.erase(hash) > 0) {
        table.erase(number);
      } else {
        plain[hash] = number;
        table.insert(number);
      }
      RC_ASSERT(table.size() == plain.size());
    }
    for (auto hash : hashes) {
      std::optional<std::uint32_t> expected;
      if (auto i = plain.find(hash); i != plain.end())
        expected = i->second;
      RC_ASSERT(table.find(hash) == expected);
    }
  }));
}

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

using libpool::random_draws;
using test::other_thread;

namespace {

using trace = std::vector<std::uint64_t>;

trace draw(random_draws& from, std::size_t count = 100) {
  trace result(count);
  for (auto& number : result)
    number = from.next();
  return result;
}

} // namespace

TEST_CASE("each number below a bound is drawn equally often, and two "
          "successive draws give each pair of numbers equally often") {
  constexpr auto draws = 100000;
  for (std::size_t size : {2U, 3U, 7U, 64U, 1000U})
    for (std::uint64_t seed : {0U, 1U, 2U, 42U}) {
      CAPTURE(size);
      CAPTURE(seed);
      random_draws random{seed};
      std::vector<double> counts(size);
      std::vector<double> pairs(64);
      for (auto i = 0; i < draws; ++i) {
        ++counts.at(random.below(size));
        auto first = random.below(8);
        ++pairs.at(8 * first + random.below(8));
      }
      CHECK(test::chi_squared(counts) < test::once_in_a_million(size));
      CHECK(test::chi_squared(pairs) < test::once_in_a_million(64));
    }
}

TEST_CASE("a number drawn below 1 is 0, and about half of the numbers drawn "
          "below a very large bound are in the upper half of the range") {
  random_draws random{7};
  constexpr std::size_t size = std::size_t{1} << 63;
  auto upper = 0;
  for (auto i = 0; i < 1000; ++i) {
    CHECK(random.below(1) == 0);
    auto number = random.below(size);
    CHECK(number < size);
    upper += number >= size / 2 ? 1 : 0;
  }
  // 500 are expected, with a standard deviation of 16.
  CHECK(upper > 400);
  CHECK(upper < 600);
}

TEST_CASE("equal seeds draw the same numbers, whichever thread draws, and "
          "different seeds draw different numbers") {
  std::set<std::uint64_t> numbers;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    random_draws here{seed};
    random_draws there{seed};
    trace drawn;
    other_thread other;
    other.does([&] { drawn = draw(there, 10); });
    CHECK(drawn == draw(here, 10));
    numbers.insert(drawn.begin(), drawn.end());
  }
  CHECK(numbers.size() == 1000);
}

TEST_CASE("a copy of a generator starts again with the first number") {
  random_draws original{42};
  auto numbers = draw(original);
  auto copy = original;
  CHECK(draw(copy) == numbers);
  CHECK(draw(original) != numbers);
}

TEST_CASE("two threads that share a generator draw different numbers, each the "
          "numbers that it would draw alone") {
  other_thread other;
  random_draws random{42};
  auto mine = draw(random, 1000);
  trace others;
  other.does([&] { others = draw(random, 1000); });
  std::set<std::uint64_t> numbers(mine.begin(), mine.end());
  numbers.insert(others.begin(), others.end());
  CHECK(numbers.size() == 2000);
  random_draws alone{42};
  CHECK(draw(alone, 1000) == mine);
  CHECK(draw(random) == draw(alone));
}
