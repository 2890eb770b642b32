#include "libpool/policies/indexed_heap.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

using libpool::indexed_heap;
using libpool::virtual_time;

namespace {

/// The rule for equal keys: the element that is said to be older goes first,
/// then the lower number.
struct is_older {
  bool operator()(std::uint32_t x, std::uint32_t y) const {
    return std::tuple{(*ages)[x], y} > std::tuple{(*ages)[y], x};
  }

  const std::vector<int>* ages;
};

struct tried_heap {
  explicit tried_heap(std::vector<int> all) : ages(std::move(all)) {
    // nop
  }

  /// Takes all out from the top.
  std::vector<std::uint32_t> drain() {
    std::vector<std::uint32_t> result;
    while (!heap.empty()) {
      result.push_back(heap.top());
      heap.remove(heap.top());
    }
    return result;
  }

  std::vector<int> ages;
  indexed_heap<is_older> heap{is_older{&ages}};
};

using numbers = std::vector<std::uint32_t>;

} // namespace

TEST_CASE("a new heap is empty, and contains no element") {
  tried_heap t{{0}};
  CHECK(t.heap.empty());
  CHECK(t.heap.size() == 0);
  CHECK_FALSE(t.heap.contains(0));
  CHECK_FALSE(t.heap.contains(12345));
}

TEST_CASE("the element with the earliest key is on top of a heap") {
  tried_heap t{std::vector<int>(10)};
  for (std::uint32_t each : {4U, 9U, 1U, 7U, 0U, 3U, 8U, 5U, 2U, 6U})
    t.heap.put(each, virtual_time{each});
  CHECK(t.heap.size() == 10);
  CHECK(t.drain() == numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("the rule for ties decides which of several elements with equal keys "
          "is on top") {
  tried_heap t{{3, 5, 1, 5, 4, 2}};
  for (std::uint32_t i = 0; i < 6; ++i)
    t.heap.put(i, virtual_time{7});
  CHECK(t.drain() == numbers{1, 3, 4, 0, 5, 2});
}

TEST_CASE("an element that is put again with another key moves up or down") {
  tried_heap t{std::vector<int>(6)};
  for (std::uint32_t i = 0; i < 6; ++i)
    t.heap.put(i, virtual_time{10 * i});
  t.heap.put(0, virtual_time{35});
  t.heap.put(5, virtual_time{15});
  CHECK(t.heap.size() == 6);
  CHECK(t.drain() == numbers{1, 5, 2, 3, 0, 4});
}

TEST_CASE(
  "elements are in order even if the clock of their keys wraps around") {
  tried_heap t{std::vector<int>(4)};
  for (std::uint32_t i = 0; i < 4; ++i)
    t.heap.put(i, virtual_time{} + (std::int64_t{i} - 2));
  CHECK(t.drain() == numbers{0, 1, 2, 3});
}

TEST_CASE("a heap reports the new depth of each element that moves up because "
          "another element moves down or is removed") {
  using rises = std::vector<std::pair<std::uint32_t, std::size_t>>;
  tried_heap t{std::vector<int>(6)};
  for (std::uint32_t i = 0; i < 6; ++i) // the last one is below the second one
    t.heap.put(i, virtual_time{i});
  rises risen;
  auto note = [&](std::uint32_t element, std::size_t depth) {
    risen.emplace_back(element, depth);
  };
  t.heap.put(0, virtual_time{10}, note);
  CHECK(risen == rises{{1, 0}, {5, 1}});
  risen.clear();
  t.heap.put(0, virtual_time{0}, note);
  CHECK(risen.empty());
  t.heap.remove(0, note);
  CHECK(risen == rises{{1, 0}});
  CHECK(t.drain() == numbers{1, 2, 3, 4, 5});
}

TEST_CASE(
  "the top of a heap agrees with a scan after any puts, moves and removals") {
  CHECK(rc::check("the top of a heap agrees with a scan", [] {
    constexpr std::uint32_t most = 40;
    tried_heap t{
      *rc::gen::container<std::vector<int>>(most, rc::gen::inRange(0, 5))};
    std::map<std::uint32_t, std::int64_t> plain;
    auto rolls = *rc::gen::container<std::vector<std::uint32_t>>(
      500, rc::gen::inRange(0U, most * 64));
    for (auto roll : rolls) {
      auto task = roll % most;
      if (roll / most % 4 == 0 && plain.erase(task) > 0) {
        t.heap.remove(task);
      } else {
        auto key = std::int64_t{roll / most / 4} - 8; // on both sides of 0
        plain[task] = key;
        t.heap.put(task, virtual_time{} + key);
      }
      RC_ASSERT(t.heap.size() == plain.size());
      RC_ASSERT(t.heap.contains(task) == (plain.count(task) > 0));
      auto rank = [&](auto i) {
        return std::tuple{i->second, -t.ages[i->first], i->first};
      };
      auto best = plain.begin();
      for (auto i = plain.begin(); i != plain.end(); ++i)
        if (rank(i) < rank(best))
          best = i;
      if (best != plain.end())
        RC_ASSERT(t.heap.top() == best->first);
    }
  }));
}
