#include "libpool/core/flow_book.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace flow_tests {

using libpool::flow_book;
using libpool::flow_key;
using libpool::flow_ref;

TEST_CASE("tasks of a flow share its key, and tasks without a flow need none") {
  flow_book book;
  const auto first = book.find("a");
  CHECK(first.key().name() == "a");
  CHECK(&book.find(std::string{"a"}).key() == &first.key());
  CHECK(&book.find("b").key() != &first.key());
  CHECK(first.is_shared()); // with the book
  CHECK(flow_ref{}.key().hash() == flow_key{}.hash());
  CHECK(&flow_ref{}.key() == &flow_ref{}.key());
  CHECK_FALSE(flow_ref{}.is_shared());
  CHECK_FALSE(flow_ref{flow_key{"c"}}.is_shared());
}

TEST_CASE("a book forgets the keys of flows without tasks, and no others") {
  flow_book book;
  std::vector<flow_ref> used;
  for (auto i = 0; i < 20'000; ++i) {
    auto each = book.find(i);
    if (i % 20 == 0)
      used.push_back(each);
    REQUIRE(book.size() <= 2 * used.size() + 1024);
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    CHECK(&book.find(20 * i).key() == &used[i].key());
}

} // namespace flow_tests
