#include "libpool/sync/published.hpp"
#include "libpool/sync/thread_marks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

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

/// Runs once while a thread waits for memory for its marks.
std::function<void()> meanwhile;

} // namespace

void* operator new(std::size_t size, std::align_val_t align) {
  auto at = static_cast<std::size_t>(align);
  auto* result = no_memory ? nullptr : std::aligned_alloc(at, size);
  if (result == nullptr)
    throw std::bad_alloc{};
  ++blocks;
  if (auto act = std::exchange(meanwhile, nullptr))
    act();
  return result;
}

void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory); // NOLINT(cppcoreguidelines-no-malloc)
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory); // NOLINT(cppcoreguidelines-no-malloc)
}

namespace {

std::array<char, 32> things{};

} // namespace

TEST_CASE("threads reuse the memory of threads that have ended") {
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

TEST_CASE("a mark for which memory cannot be allocated is not set") {
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

TEST_CASE(
  "a value that is replaced just before its mark is set is not pinned") {
  using published = libpool::published<std::shared_ptr<int>>;
  auto old = std::make_shared<int>(1);
  std::weak_ptr<int> first = old;
  published value{std::move(old)};
  auto replaced = false;
  meanwhile = [&] {
    value.update([](const std::shared_ptr<int>&) {
      return std::optional<std::shared_ptr<int>>{std::make_shared<int>(2)};
    });
    replaced = true;
  };
  // The last of these pins is the one that asks for memory for its mark.
  std::vector<std::unique_ptr<published::pin>> pins;
  while (!replaced && pins.size() < 10000)
    pins.push_back(std::make_unique<published::pin>(value));
  REQUIRE(replaced);
  CHECK(pins.back()->operator->() == value.read().operator->());
  CHECK(***pins.back() == 2);
  pins.erase(pins.begin(), pins.end() - 1);
  CHECK(first.expired());
}

#endif // OPERATOR_NEW_IS_TAKEN
