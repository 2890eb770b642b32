#include "libpool/core/shared_restrictions.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using libpool::shared_restrictions;
using libpool::worker_number;
using numbers = std::vector<worker_number>;

namespace {

constexpr worker_number one{1};
constexpr worker_number two{2};

} // namespace

TEST_CASE(
  "tasks with the same set of permitted workers share one restriction object") {
  shared_restrictions all;
  auto& first = all.take({two, one, two}, false);
  CHECK(first.only == numbers{one, two});
  CHECK_FALSE(first.loose);
  CHECK(&all.take({one, two}, false) == &first);
  CHECK(all.size() == 1);
}

TEST_CASE("different sets of workers, and permitted and preferred workers, "
          "have different restriction objects") {
  shared_restrictions all;
  auto& strict = all.take({one}, false);
  auto& loose = all.take({one}, true);
  CHECK(loose.loose);
  CHECK(&strict != &loose);
  CHECK(&all.take({two}, false) != &strict);
  CHECK(all.size() == 3);
}

TEST_CASE("a restriction object is removed with the last task that uses it") {
  shared_restrictions all;
  auto& where = all.take({one}, false);
  all.take({one}, false);
  all.give_back(where);
  CHECK(all.size() == 1);
  all.give_back(where);
  CHECK(all.size() == 0);
}

TEST_CASE("making a restriction that names no worker throws") {
  shared_restrictions all;
  CHECK_THROWS_WITH_AS(all.take({}, false),
                       "may_run_on: must name at least 1 worker, got none",
                       std::invalid_argument);
  CHECK(all.size() == 0);
}
