/// How many bytes of contents may be in a distributed pool.

#include "libpool/actors/managed/packer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using libpool::byte_budget;

TEST_CASE("bytes can be taken from a byte budget up to its limit") {
  byte_budget budget{10};
  CHECK(budget.take(6));
  CHECK(!budget.take(5));
  CHECK(budget.take(4));
  CHECK(!budget.take(1));
  CHECK(budget.take(0));
}

TEST_CASE("bytes that are given back to a budget can be taken again") {
  byte_budget budget{10};
  CHECK(budget.take(6));
  budget.give_back(6);
  CHECK(budget.take(10));
}

TEST_CASE(
  "a byte budget can be exceeded only by taking from an unused budget") {
  byte_budget budget{10};
  CHECK(budget.take(11));
  CHECK(!budget.take(0));
  budget.give_back(11);
  CHECK(budget.take(std::numeric_limits<std::uint64_t>::max()));
  CHECK(!budget.take(1));
}
