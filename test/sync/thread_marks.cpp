#include "libpool/sync/thread_marks.hpp"
#include "libpool/sync/thread_number.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <set>
#include <thread>

using libpool::thread_marks;

namespace {

std::array<char, 32> things{};
char kept;
char late_one;

} // namespace

TEST_CASE(
  "a mark that is changed to another object marks only the new object") {
  auto where = thread_marks::set(&things[0]);
  thread_marks::change(where, &things[1]);
  CHECK_FALSE(thread_marks::shown(&things[0]));
  CHECK_FALSE(thread_marks::has_mine(&things[0]));
  CHECK(thread_marks::shown(&things[1]));
  thread_marks::change(where, nullptr);
  CHECK_FALSE(thread_marks::shown(&things[1]));
  auto next = thread_marks::set(&things[2]);
  thread_marks::change(where, &things[0]);
  CHECK(thread_marks::shown(&things[0]));
  CHECK(thread_marks::shown(&things[2]));
  thread_marks::clear(next);
  thread_marks::clear(where);
  CHECK_FALSE(thread_marks::shown(&things[0]));
}

TEST_CASE(
  "an object that is marked twice stays marked when one mark is cleared, "
  "which is the mark that was set last") {
  auto first = thread_marks::set(&things[0]);
  thread_marks::set(&things[0]);
  thread_marks::clear(&things[0]);
  CHECK(thread_marks::shown(&things[0]));
  thread_marks::change(first, &things[1]);
  CHECK(thread_marks::shown(&things[1]));
  CHECK_FALSE(thread_marks::shown(&things[0]));
  thread_marks::clear(first);
}

TEST_CASE("a mark stays set while other threads set marks and end") {
  auto where = thread_marks::set(&things[0]);
  for (auto i = 0; i < 20; ++i)
    std::thread{[] {
      thread_marks::set(&things[1]);
      thread_marks::clear(&things[1]);
    }}.join();
  CHECK(thread_marks::shown(&things[0]));
  thread_marks::clear(where);
  CHECK_FALSE(thread_marks::shown(&things[0]));
}

TEST_CASE("thread-local destructors may clear and set marks") {
  struct late {
    const void* marked = nullptr;

    ~late() {
      thread_marks::clear(marked);
      thread_marks::set(&late_one);
      thread_marks::clear(&late_one);
    }
  };
  // Made before the thread's first mark, so it is destroyed after the objects
  // that the first mark makes.
  std::thread{[] {
    thread_local late last;
    last.marked = &kept;
    thread_marks::set(&kept);
  }}.join();
  CHECK_FALSE(thread_marks::shown(&kept));
  CHECK_FALSE(thread_marks::shown(&late_one));
}

// -- numbers of threads -------------------------------------------------------

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
