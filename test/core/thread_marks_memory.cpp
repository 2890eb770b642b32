#include "libpool/core/thread_marks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

// The sanitizers of Clang are linked statically and insist on their own.
#ifdef __has_feature
#  if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#    define OPERATOR_NEW_IS_TAKEN
#  endif
#endif

#ifndef OPERATOR_NEW_IS_TAKEN

using libpool::thread_marks;

namespace {

// Blocks of marks are the only things here that are aligned beyond the default.
std::atomic<int> blocks{0};
std::atomic<bool> no_memory{false};

} // namespace

void* operator new(std::size_t size, std::align_val_t align) {
  auto at = static_cast<std::size_t>(align);
  auto* result = no_memory ? nullptr : std::aligned_alloc(at, size);
  if (result == nullptr)
    throw std::bad_alloc{};
  ++blocks;
  return result;
}

void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

std::array<char, 32> things{};

} // namespace

TEST_CASE("threads that have ended leave their memory to threads to come") {
  auto marks_a_lot = [] {
    for (auto& thing : things)
      thread_marks::set(&thing);
    for (auto& thing : things)
      thread_marks::clear(&thing);
  };
  std::thread{marks_a_lot}.join();
  auto before = blocks.load();
  for (auto i = 0; i < 500; ++i)
    std::thread{marks_a_lot}.join();
  CHECK(blocks == before);
}

TEST_CASE("nothing is marked when there is no memory for a mark") {
  auto refused = 0;
  std::size_t marked = 0;
  auto marks_until_refused = [&] {
    try {
      for (; marked < 10000; ++marked)
        thread_marks::set(&things[0]);
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  };
  no_memory = true;
  marks_until_refused();
  no_memory = false;
  CHECK(refused == 1);
  for (auto left = marked; left > 0; --left)
    thread_marks::clear(&things[0]);
  CHECK_FALSE(thread_marks::has_mine(&things[0]));
  CHECK_FALSE(thread_marks::shown(&things[0]));
}

#endif // OPERATOR_NEW_IS_TAKEN
