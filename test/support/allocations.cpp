#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};

} // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc): what else is there?

void* operator new(std::size_t size) {
  ++count;
  if (auto* result = std::malloc(size))
    return result;
  throw std::bad_alloc{};
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

// NOLINTEND(cppcoreguidelines-no-malloc)

namespace test {

std::size_t allocations() noexcept {
  return count;
}

} // namespace test
