#include "libpool/sync/thread_number.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <thread>

TEST_CASE("a thread keeps its number, and no other thread gets that number") {
  auto mine = libpool::thread_number();
  std::set<std::size_t> numbers{mine};
  for (auto i = 0; i < 10; ++i)
    std::thread{[&numbers] {
      auto number = libpool::thread_number();
      CHECK(libpool::thread_number() == number);
      CHECK(numbers.insert(number).second);
    }}.join();
  CHECK(libpool::thread_number() == mine);
}

TEST_CASE("the numbers of threads have no gaps") {
  std::size_t first = 0;
  std::size_t second = 0;
  std::thread{[&] { first = libpool::thread_number(); }}.join();
  std::thread{[&] { second = libpool::thread_number(); }}.join();
  CHECK(second == first + 1);
}
