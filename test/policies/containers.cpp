/// The heaps and the hash table that policies keep their tasks and workers in,
/// beside searches of all.

#include "libpool/policies/object_heap.hpp"
#include "libpool/policies/slot_table.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
