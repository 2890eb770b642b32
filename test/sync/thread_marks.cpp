#include "libpool/sync/thread_marks.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <array>
#include <thread>
#include <vector>

using libpool::thread_marks;
using test::other_thread;

namespace {

std::array<char, 32> things{};
char kept;
char late_one;

} // namespace

TEST_CASE("a mark on an object is visible until it is cleared") {
  const auto* thing = &things[0];
  CHECK_FALSE(thread_marks::shown(thing));
  auto where = thread_marks::set(thing);
  CHECK(thread_marks::shown(thing));
  CHECK(thread_marks::has_mine(thing));
  CHECK_FALSE(thread_marks::shown(&things[1]));
  CHECK_FALSE(thread_marks::has_mine(&things[1]));
  thread_marks::clear(where);
  CHECK_FALSE(thread_marks::shown(thing));
  CHECK_FALSE(thread_marks::has_mine(thing));
}

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

TEST_CASE("when a thread hides its marks on an object, its marks on other "
          "objects stay visible") {
  thread_marks::set(&things[0]);
  thread_marks::set(&things[1]);
  thread_marks::set(&things[0]);
  thread_marks::hide_mine(&things[0]);
  CHECK_FALSE(thread_marks::shown(&things[0]));
  CHECK(thread_marks::has_mine(&things[0]));
  CHECK(thread_marks::shown(&things[1]));
  thread_marks::show_mine(&things[0]);
  CHECK(thread_marks::shown(&things[0]));
  thread_marks::clear(&things[0]);
  CHECK(thread_marks::shown(&things[0]));
  thread_marks::clear(&things[0]);
  thread_marks::clear(&things[1]);
  CHECK_FALSE(thread_marks::shown(&things[0]));
}

TEST_CASE("marks of another thread are visible, but do not count as marks of "
          "the calling thread") {
  other_thread other;
  const auto* thing = &things[0];
  other.does([&] { thread_marks::set(thing); });
  CHECK(thread_marks::shown(thing));
  CHECK(thread_marks::shown_elsewhere(thing));
  CHECK_FALSE(thread_marks::has_mine(thing));
  thread_marks::hide_mine(thing);
  CHECK(thread_marks::shown_elsewhere(thing));
  CHECK_FALSE(other.says([&] { return thread_marks::shown_elsewhere(thing); }));
  other.does([&] { thread_marks::clear(thing); });
  CHECK_FALSE(thread_marks::shown_elsewhere(thing));
}

TEST_CASE("a thread may set many marks, and clear them in any order") {
  other_thread other;
  std::vector<thread_marks::place> places;
  other.does([&] {
    for (auto& thing : things)
      places.push_back(thread_marks::set(&thing));
  });
  for (auto& thing : things)
    CHECK(thread_marks::shown_elsewhere(&thing));
  // 5 and 32 have no common factor, so this comes by each thing once.
  for (std::size_t i = 0; i < things.size(); ++i) {
    auto at = 5 * i % things.size();
    other.does([&] { thread_marks::clear(places[at]); });
    CHECK_FALSE(thread_marks::shown(&things[at]));
    for (auto j = i + 1; j < things.size(); ++j)
      CHECK(thread_marks::shown(&things[5 * j % things.size()]));
  }
}

TEST_CASE("a thread can hide all its marks on an object, and none of them "
          "counts as a mark of another thread") {
  for (auto i = 0; i < 20; ++i)
    thread_marks::set(&things[0]);
  CHECK_FALSE(thread_marks::shown_elsewhere(&things[0]));
  thread_marks::hide_mine(&things[0]);
  CHECK_FALSE(thread_marks::shown(&things[0]));
  for (auto i = 0; i < 20; ++i) {
    CHECK(thread_marks::has_mine(&things[0]));
    thread_marks::clear(&things[0]);
  }
  CHECK_FALSE(thread_marks::has_mine(&things[0]));
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
