#include "libpool/policies/slot_table.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

using libpool::slot_table;

namespace {

struct listed_hash {
  std::uint64_t operator()(std::uint32_t number) const {
    return (*all)[number];
  }

  const std::vector<std::uint64_t>* all;
};

struct tried_table {
  explicit tried_table(std::vector<std::uint64_t> all)
    : hashes(std::move(all)) {
    // nop
  }

  std::vector<std::uint64_t> hashes;
  slot_table<listed_hash> table{listed_hash{&hashes}};
};

} // namespace

TEST_CASE("a new table is empty, and finds no number") {
  tried_table t{{1}};
  CHECK(t.table.size() == 0);
  CHECK_FALSE(t.table.find(1));
}

TEST_CASE("a table finds each number by its hash") {
  tried_table t{{7, 0, ~std::uint64_t{0}}};
  for (std::uint32_t i = 0; i < 3; ++i)
    t.table.insert(i);
  CHECK(t.table.size() == 3);
  CHECK(t.table.find(7) == 0);
  CHECK(t.table.find(0) == 1);
  CHECK(t.table.find(~std::uint64_t{0}) == 2);
  CHECK_FALSE(t.table.find(8));
}

TEST_CASE("a table distinguishes hashes with equal upper bits and some equal "
          "lower bits") {
  constexpr std::uint64_t low = 3;
  constexpr std::uint64_t high = std::uint64_t{1} << 40U;
  tried_table t{{high + low, high + low + (1U << 20U), low}};
  for (std::uint32_t i = 0; i < 3; ++i)
    t.table.insert(i);
  for (std::uint32_t i = 0; i < 3; ++i)
    CHECK(t.table.find(t.hashes[i]) == i);
  t.table.erase(0);
  CHECK_FALSE(t.table.find(t.hashes[0]));
  CHECK(t.table.find(t.hashes[1]) == 1);
  CHECK(t.table.find(t.hashes[2]) == 2);
}

TEST_CASE("a table finds its entries after any insertions and erasures") {
  CHECK(rc::check("a table behaves like a map", [] {
    constexpr std::uint32_t most = 200;
    // Few different low bits, round the end of the table too, for collisions.
    tried_table t{{}};
    for (std::uint64_t i = 0; i < most; ++i)
      t.hashes.push_back((i % 3 << 32U) + (i << 12U) + (60 + i % 7) % 64);
    std::map<std::uint64_t, std::uint32_t> plain;
    auto rolls = *rc::gen::container<std::vector<std::uint32_t>>(
      400, rc::gen::inRange(0U, most));
    for (auto number : rolls) {
      auto hash = t.hashes[number];
      if (plain.erase(hash) > 0) {
        t.table.erase(number);
      } else {
        plain[hash] = number;
        t.table.insert(number);
      }
      RC_ASSERT(t.table.size() == plain.size());
    }
    for (auto hash : t.hashes) {
      std::optional<std::uint32_t> expected;
      if (auto i = plain.find(hash); i != plain.end())
        expected = i->second;
      RC_ASSERT(t.table.find(hash) == expected);
    }
  }));
}
