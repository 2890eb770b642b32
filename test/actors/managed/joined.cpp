/// Messages that ask for the same result are handled together.

#include "support/managed_world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace managed_joined_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::join_mode;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::scripted;

namespace {

/// Messages with the same last digit ask for the same result; those with the
/// digit 0 are handled by themselves.
libpool::same_result by_last_digit(join_mode mode) {
  return {libpool::same_by<int>([](int x) -> std::optional<std::string> {
            if (x % 10 == 0)
              return std::nullopt;
            return std::to_string(x % 10);
          }),
          mode};
}

/// A pool whose workers promise to answer.
struct world : managed_world {
  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.when_empty = libpool::when_empty::wait;
    join(join_mode::join_running);
    on_settled = [this](const libpool::settled_task& settled) {
      joined.resize(std::max<std::size_t>(joined.size(), settled.number + 1));
      joined[settled.number] = settled.joined;
    };
  }

  void join(join_mode mode) {
    options.same_as = by_last_digit(mode);
  }

  /// A worker that notes each message before it promises to answer.
  scripted::script noting() {
    return [this](scripted& self) -> caf::behavior {
      return {
        [this, &self](int x) {
          handled.push_back(x);
          holders.push_back(&self);
          promises.push_back(self.make_response_promise());
          return promises.back();
        },
        [this](caf::ok_atom, std::size_t i, int x) {
          auto promise = std::move(promises.at(i));
          if (x < 0)
            promise.deliver(caf::make_error(caf::sec::runtime_error));
          else
            promise.deliver(x);
        },
      };
    };
  }

  std::vector<int> handled;
  std::vector<std::uint64_t> joined; // of the task with that number
};

} // namespace

TEST_CASE_FIXTURE(world, "a message that asks for the same result as a running "
                         "message gets the answer of that message") {
  populate(2, noting());
  auto first = request(1);
  auto second = request(11);
  auto other = request(2);
  CHECK(handled == std::vector{1, 2});
  CHECK(books().running == 3);
  deliver(0, 5);
  CHECK(result_of(first) == 5);
  CHECK(result_of(second) == 5);
  CHECK_FALSE(is_answered(other));
  deliver(1, 6);
  CHECK(result_of(other) == 6);
  CHECK(joined == std::vector<std::uint64_t>{0, 0, 1, 0});
  CHECK(fates[1].worker == fates[0].worker);
  CHECK(stats().joined == 1);
  CHECK(stats().total.completed == 2);
}

} // namespace managed_joined_tests
