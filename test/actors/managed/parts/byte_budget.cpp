/// How many bytes of contents may be in a distributed pool.

#include "libpool/actors/managed/packer.hpp"

#include <doctest/doctest.h>

TEST_CASE("bytes can be taken from a byte budget up to its limit, or more if "
          "the budget is unused") {
  libpool::byte_budget budget{10};
  CHECK(budget.take(6));
  CHECK(!budget.take(5));
  CHECK(budget.take(4));
  CHECK(!budget.take(1));
  CHECK(budget.take(0));
  budget.give_back(10);
  CHECK(budget.take(11));
  CHECK(!budget.take(0));
}
