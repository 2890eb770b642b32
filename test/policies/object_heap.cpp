#include "libpool/policies/object_heap.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace {

struct element {
  static constexpr auto in_no_heap = static_cast<std::uint32_t>(-1);

  int number = 0;
  std::uint32_t heap_slot = in_no_heap;
};

struct larger_number_first {
  static bool goes_first(const element& x, const element& y) {
    return x.number > y.number;
  }

  static void rose(const element&, std::size_t) {
    // nop
  }
};

using heap = libpool::object_heap<element, int, larger_number_first>;

bool is_in_heap(const element& of) {
  return of.heap_slot != element::in_no_heap;
}

} // namespace

TEST_CASE("the object with the smallest key is on top of a heap, and the rule "
          "for ties decides between equal keys") {
  std::array<element, 3> all{element{1}, element{2}, element{3}};
  heap tried;
  CHECK(tried.empty());
  tried.put(all[0], 5);
  tried.put(all[1], 4);
  tried.put(all[2], 4);
  CHECK(&tried.top() == &all[2]);
  tried.put(all[2], 6);
  CHECK(&tried.top() == &all[1]);
  tried.remove(all[1]);
  CHECK_FALSE(is_in_heap(all[1]));
  CHECK(&tried.top() == &all[0]);
}

TEST_CASE("the destructor of a heap removes all objects from the heap") {
  std::array<element, 3> all{};
  {
    heap tried;
    for (auto& each : all)
      tried.put(each, 0);
    tried.remove(all[1]);
    CHECK(is_in_heap(all[0]));
  }
  for (const auto& each : all)
    CHECK_FALSE(is_in_heap(each));
}

TEST_CASE("after any insertions and removals, the top of a heap of objects is "
          "the object that a full search finds") {
  CHECK(rc::check("the top of a heap of objects agrees with a scan", [] {
    constexpr std::size_t most = 30;
    std::vector<element> all(most);
    for (std::size_t i = 0; i < most; ++i)
      all[i].number = static_cast<int>(i);
    std::vector<std::optional<int>> keys(most);
    heap tried;
    auto rank = [&](const element& of) {
      auto key = keys[static_cast<std::size_t>(of.number)];
      return std::tuple{!key, key, -of.number};
    };
    auto rolls = *rc::gen::container<std::vector<std::size_t>>(
      300, rc::gen::inRange(std::size_t{0}, most * 20));
    for (auto roll : rolls) {
      auto& changed = all[roll % most];
      auto& key = keys[roll % most];
      if (key && roll / most % 3 == 0) {
        tried.remove(changed);
        key.reset();
      } else {
        key = static_cast<int>(roll / most);
        tried.put(changed, *key);
      }
      RC_ASSERT(is_in_heap(changed) == key.has_value());
      const auto& first = *std::min_element(
        all.begin(), all.end(),
        [&](const element& x, const element& y) { return rank(x) < rank(y); });
      RC_ASSERT(tried.empty() != is_in_heap(first));
      RC_ASSERT(tried.empty() || &tried.top() == &first);
    }
  }));
}
