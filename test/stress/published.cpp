#include "libpool/sync/published.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

using libpool::published;

namespace {

std::atomic<int> alive{0};

/// Numbers that are equal, unless the object was torn or destroyed.
class uniform {
public:
  explicit uniform(int number) {
    numbers_.fill(number);
    ++alive;
  }

  uniform(const uniform& other) : numbers_(other.numbers_) {
    ++alive;
  }

  uniform& operator=(const uniform&) = delete;

  ~uniform() {
    numbers_.fill(-1);
    numbers_.back() = -2;
    --alive;
  }

  int number() const {
    return numbers_.front();
  }

  bool is_sound() const {
    return std::all_of(numbers_.begin(), numbers_.end(), [this](int each) {
      return each == number() && each >= 0;
    });
  }

private:
  std::array<int, 8> numbers_{};
};

/// The findings of a reader.
struct findings {
  int unsound = 0;
  int gone_back = 0; ///< A value that is older than one seen before.
};

findings read_until(published<uniform>& value, int last) {
  findings result;
  for (auto newest = 0; newest < last;) {
    auto pin = value.read();
    auto number = pin->number();
    result.gone_back += number < newest ? 1 : 0;
    newest = number;
    std::optional<published<uniform>::pin> inner;
    if (number % 3 == 0)
      inner.emplace(value);
    if (number % 64 == 0)
      std::this_thread::yield();
    result.unsound += pin->is_sound() && pin->number() == number ? 0 : 1;
    if (inner)
      result.unsound += (*inner)->is_sound() ? 0 : 1;
  }
  return result;
}

void count_up(published<uniform>& value, int last) {
  auto next = [last](const uniform& old) {
    return old.number() < last ? std::optional<uniform>{old.number() + 1}
                               : std::nullopt;
  };
  while (value.update(next)) {
    // The update did it.
  }
}

} // namespace

TEST_CASE("a value that a reader uses stays intact while writers replace it") {
  constexpr auto updates = 100000;
  {
    published<uniform> value{uniform{0}};
    std::array<findings, 2> found;
    std::vector<std::thread> threads;
    for (auto& each : found)
      threads.emplace_back(
        [&value, &each] { each = read_until(value, updates); });
    threads.emplace_back([&value] { count_up(value, updates); });
    for (auto& each : threads)
      each.join();
    for (const auto& each : found) {
      CHECK(each.unsound == 0);
      CHECK(each.gone_back == 0);
    }
    CHECK(value.read()->number() == updates);
  }
  CHECK(alive == 0);
}

TEST_CASE("updates by several writers are serialised") {
  constexpr auto updates = 20000;
  {
    published<uniform> value{uniform{0}};
    std::vector<std::thread> threads;
    std::array<int, 3> done{};
    for (auto& each : done)
      threads.emplace_back([&value, &each] {
        for (; each < updates; ++each)
          value.update([](const uniform& old) {
            return std::optional<uniform>{old.number() + 1};
          });
      });
    for (auto& each : threads)
      each.join();
    CHECK(value.read()->number() == 3 * updates);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}
