/// The loop in which facts are handled.

#include "support/handling_owner.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <numeric>
#include <vector>

using numbers = std::vector<int>;
using test::handling_owner;

TEST_CASE("deferred facts are handled before the next fact that cannot be "
          "deferred, or after the time that the owner of the loop has set") {
  using namespace std::chrono_literals;
  handling_owner owner;
  owner.is_patient = true;
  owner.patience = 50us;
  owner.tell(1);
  owner.time += 50us;
  owner.put_down(2);
  CHECK(owner.seen == numbers{1});
  CHECK(owner.facts.was_patient_until() == libpool::instant{50us});
  SUBCASE("a fact that cannot be deferred") {
    owner.is_patient = false;
    owner.tell(3);
  }
  SUBCASE("a fact after that time") {
    owner.time += 1ns;
    owner.put_down(3);
  }
  CHECK(owner.seen == numbers{1, 2, 3});
  CHECK(owner.rounds == 2);
}

TEST_CASE("many deferred events are handled in the order of arrival") {
  constexpr auto flood = 50000;
  handling_owner owner;
  numbers expected(2 * flood);
  std::iota(expected.begin(), expected.end(), 0);
  for (auto first : {0, flood}) {
    owner.is_patient = true;
    for (auto x = first; x < first + flood - 1; ++x)
      owner.put_down(x);
    owner.tell(first + flood - 1);
  }
  CHECK(owner.seen == expected);
}
