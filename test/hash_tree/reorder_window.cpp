#include "hash_tree/reorder_window.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using window = hash_tree::reorder_window<int>;

TEST_CASE("a reorder window returns items in the order in which they were "
          "opened, in whatever order they are closed") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    window w;
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < 20; ++i)
      numbers.push_back(w.open(i));
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937{seed});
    std::vector<int> out;
    for (const auto number : numbers) {
      w.close(number);
      while (auto next = w.take())
        out.push_back(*next);
    }
    std::vector<int> expected(20);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(out == expected);
    CHECK(w.size() == 0);
  }
}

TEST_CASE(
  "an open item holds back all items that follow, which stay in the window") {
  window w;
  const auto first = w.open(1);
  w.close(w.open(2));
  CHECK_FALSE(w.take());
  CHECK(w.size() == 2);
  w.close(first);
  CHECK(w.take() == 1);
  CHECK(w.take() == 2);
  CHECK_FALSE(w.take());
}

TEST_CASE("a reorder window does not use the number of a taken item again") {
  window w;
  w.close(w.open(1));
  w.take();
  const auto next = w.open(2);
  CHECK(next == 1);
  CHECK(w.find(0) == nullptr);
  CHECK(*w.find(next) == 2);
  CHECK(w.find(next + 1) == nullptr);
}

TEST_CASE("an item of a reorder window is open until the item is closed, taken "
          "or dropped") {
  window w;
  const auto a = w.open(1);
  const auto b = w.open(2);
  CHECK(w.is_open(a));
  w.close(a);
  CHECK_FALSE(w.is_open(a));
  w.drop();
  CHECK_FALSE(w.is_open(a));
  CHECK(w.is_open(b));
  w.drop();
  CHECK_FALSE(w.is_open(b));
}
