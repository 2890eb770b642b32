#include "libpool/sync/published.hpp"
#include "libpool/sync/shared_spinlock.hpp"
#include "support/other_thread.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

using libpool::published;
using test::other_thread;

namespace {

/// A number; `alive` counts the objects that exist and were not moved from.
class counted {
public:
  explicit counted(int number) : number_(number) {
    ++alive;
  }

  counted(counted&& other) noexcept : number_(std::exchange(other.number_, 0)) {
    // The other object does not count any more.
  }

  counted& operator=(counted&&) = delete;

  ~counted() {
    if (number_ != 0)
      --alive;
  }

  int number() const {
    return number_;
  }

  static int alive;

private:
  int number_;
};

int counted::alive = 0;

auto to(int number) {
  return [number](const counted&) {
    return std::optional<counted>{std::in_place, number};
  };
}

std::optional<counted> keep(const counted&) {
  return std::nullopt;
}

} // namespace

TEST_CASE("an update sees the value that it replaces, a reader sees the value "
          "that was published last, and no other value exists") {
  published<counted> value{counted{1}};
  for (auto number = 2; number < 10; ++number) {
    CHECK(value.update([](const counted& old) {
      return std::optional<counted>{std::in_place, old.number() + 1};
    }));
    CHECK(value.read()->number() == number);
    CHECK((*value.read()).number() == number);
    CHECK(counted::alive == 1);
  }
}

TEST_CASE("an update that returns nothing keeps the value") {
  published<counted> value{counted{1}};
  const auto* before = &*value.read();
  CHECK_FALSE(value.update(keep));
  CHECK(&*value.read() == before);
  CHECK(counted::alive == 1);
}

TEST_CASE("an update that throws keeps the value, and later updates succeed") {
  published<counted> value{counted{1}};
  auto fails = [](const counted&) -> std::optional<counted> {
    throw std::runtime_error{"no"};
  };
  CHECK_THROWS_AS(value.update(fails), std::runtime_error);
  CHECK(value.read()->number() == 1);
  CHECK(value.update(to(2)));
  CHECK(counted::alive == 1);
}

TEST_CASE(
  "a pinned value lives until its last pin ends, even if the same thread "
  "replaces it") {
  published<counted> value{counted{1}};
  auto first = std::make_unique<published<counted>::pin>(value);
  auto second = std::make_unique<published<counted>::pin>(value);
  value.update(to(2));
  CHECK((*first)->number() == 1);
  {
    auto inner = value.read();
    CHECK(inner->number() == 2);
    value.update(to(3));
    CHECK(inner->number() == 2);
    CHECK(counted::alive == 3);
  }
  CHECK(counted::alive == 2);
  first.reset();
  CHECK(counted::alive == 2);
  CHECK((*second)->number() == 1);
  second.reset();
  CHECK(counted::alive == 1);
}

TEST_CASE("a value that another thread has pinned lives until that thread ends "
          "the pin") {
  published<counted> value{counted{1}};
  other_thread other;
  std::optional<published<counted>::pin> pin;
  other.does([&] { pin.emplace(value); });
  value.update(to(2));
  value.update(to(3));
  CHECK(counted::alive == 2);
  CHECK(other.says([&] { return (*pin)->number() == 1; }));
  other.does([&] { pin.reset(); });
  CHECK(counted::alive == 1);
}

TEST_CASE("many versions of a value may be pinned at once") {
  published<counted> value{counted{1}};
  std::vector<std::unique_ptr<published<counted>::pin>> pins;
  for (auto number = 1; number <= 30; ++number) {
    pins.push_back(std::make_unique<published<counted>::pin>(value));
    value.update(to(number + 1));
  }
  CHECK(counted::alive == 31);
  for (auto number = 1; number <= 30; ++number)
    CHECK((*pins[static_cast<std::size_t>(number - 1)])->number() == number);
  pins.erase(pins.begin() + 10, pins.end());
  CHECK(counted::alive == 11);
  pins.clear();
  CHECK(counted::alive == 1);
}

TEST_CASE("pins of two published values are independent") {
  published<counted> a{counted{1}};
  published<counted> b{counted{2}};
  auto pin_a = a.read();
  {
    auto pin_b = b.read();
    b.update(to(4));
    CHECK(pin_b->number() == 2);
  }
  a.update(to(3));
  CHECK(pin_a->number() == 1);
  CHECK(counted::alive == 3);
}

TEST_CASE("the destructor of a published object destroys all values") {
  {
    published<counted> value{counted{1}};
    { auto pin = value.read(); }
    value.update(to(2));
  }
  CHECK(counted::alive == 0);
}

TEST_CASE(
  "a pinned value and a lock at the same address do not affect each other") {
  // Both leave marks by address, and the first member of a struct has the
  // address of the struct.
  struct guarded {
    mutable libpool::shared_spinlock lock;
    std::shared_ptr<int> alive;

    guarded() : alive(std::make_shared<int>(0)) {
      // nop
    }

    guarded(guarded&& other) noexcept : alive(std::move(other.alive)) {
      // nop
    }
  };
  published<guarded> value{guarded{}};
  other_thread other;
  auto pin = value.read();
  CHECK(other.says([&] { return test::can_write(pin->lock); }));
}
