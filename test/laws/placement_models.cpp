#include "support/placement_models.hpp"
#include "libpool/policies/catalogue.hpp"
#include "support/placement_world.hpp"
#include "support/watched_placement.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using libpool::assignment;
using libpool::duration;
using libpool::estimate_options;
using test::placement_world;
using test::watched_placement;

namespace {

constexpr std::size_t most_workers = 6;

/// The settings of a pool.
struct setting {
  assignment when = assignment::eager;
  bool steals = false;
  bool weighs = false;
  estimate_options options;
};

/// Units are nanoseconds, and times short, so that there are many ties.
setting decoded(std::uint32_t bits) {
  constexpr std::array<std::size_t, 4> histories{1, 2, 3, 386};
  constexpr std::array<std::size_t, 4> probes{0, 0, 1, 3};
  constexpr std::array<libpool::measure, 4> measures{
    libpool::measure::service_time, libpool::measure::service_time,
    libpool::measure::cpu_time, libpool::measure::wait_time};
  setting result;
  result.when = (bits & 1U) == 0 ? assignment::eager : assignment::lazy;
  result.steals = result.when == assignment::eager && (bits & 2U) != 0;
  result.weighs = (bits & 4U) != 0;
  result.options.history = histories[bits / 8 % 4];
  result.options.statistic = (bits & 32U) == 0 ? libpool::statistic::mean
                                               : libpool::statistic::median;
  result.options.probe_every = probes[bits / 64 % 4];
  result.options.measure = measures[bits / 256 % 4];
  if ((bits & 1024U) != 0)
    result.options.initial_estimate = duration{5};
  return result;
}

/// A world of a placement and its model, which is told what random numbers
/// stand for.
class history {
public:
  history(std::string_view name, const setting& how)
    : history(std::make_unique<watched_placement>(
                libpool::placement_named(name).make(how.options),
                test::model_of(name, how.options)),
              how) {
    // nop
  }

  void tell(std::uint32_t roll) {
    auto detail = roll / 16;
    switch (roll % 16) {
      case 0:
        return come_or_go(detail);
      case 1:
        return world_.pass(duration{detail % 64});
      case 2:
        // Workers that do something else for a while: their tasks begin later
        // than is presumed.
        world_.begins = detail % 3 != 0;
        return world_.pass(duration{detail % 4});
      case 3:
        return world_.pass(duration{detail % 4});
      case 4:
        return submit_somewhere(detail);
      case 5:
        return end(detail, true);
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        return end(detail, false);
      default:
        world_.submit();
    }
  }

  const std::string& difference() const {
    return watched_.complaint();
  }

private:
  history(std::unique_ptr<watched_placement>&& watched, const setting& how)
    : history(*watched, std::move(watched), how) {
    // nop
  }

  history(const watched_placement& watched,
          std::unique_ptr<watched_placement>&& owned, const setting& how)
    : watched_(watched),
      world_(std::move(owned), {how.when, how.steals}),
      weighs_(how.weighs) {
    join(0);
    join(1);
  }

  void come_or_go(std::uint32_t detail) {
    auto present = world_.present();
    if (detail % 4 < 2) {
      if (present.size() < most_workers)
        join(detail / 4);
    } else if (!present.empty()) {
      auto worker = present[detail / 4 % present.size()];
      if (detail % 4 == 2)
        world_.retire(worker);
      else
        world_.leave(worker);
    }
  }

  void join(std::uint32_t detail) {
    world_.join(1 + detail % 3, duration{weighs_ ? 1 + detail / 3 % 13 : 0},
                1 + detail / 64 % 2);
  }

  void submit_somewhere(std::uint32_t detail) {
    auto size = world_.workers.size();
    if (detail % 4 == 0) {
      world_.submit_home(detail / 4 % size);
      return;
    }
    placement_world::names some;
    for (auto i = size - std::min(size, most_workers); i < size; ++i)
      if ((detail / 4 + detail / 16 * i) % 3 != 0)
        some.push_back(i);
    world_.submit_only(some, detail % 4 == 1);
  }

  void end(std::uint32_t detail, bool crashes) {
    auto running = world_.running();
    if (running.empty())
      return;
    auto task = running[detail % running.size()];
    world_.tasks[task].cpu_time = duration{detail / 16 % 8};
    crashes ? world_.crash(task) : world_.finish(task);
  }

  const watched_placement& watched_;
  placement_world world_;
  bool weighs_;
};

void check_against_model(const std::string& name) {
  CHECK(rc::check(name + " chooses as its rules say", [&] {
    auto bits = *rc::gen::resize(
      100, rc::gen::inRange(std::uint32_t{0}, std::uint32_t{2048}));
    history h{name, decoded(bits)};
    auto rolls = *rc::gen::resize(
      400, rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::inRange(std::uint32_t{0}, std::uint32_t{1} << 16)));
    for (auto roll : rolls) {
      h.tell(roll);
      if (!h.difference().empty())
        RC_FAIL(h.difference());
    }
  }));
}

} // namespace

TEST_CASE("least_busy chooses as its rules say, whatever happens") {
  check_against_model("least_busy");
}

TEST_CASE("fair_share chooses as its rules say, whatever happens") {
  check_against_model("fair_share");
}

TEST_CASE("weighted_round_robin chooses as its rules say, whatever happens") {
  check_against_model("weighted_round_robin");
}

TEST_CASE("interleaved_weighted_round_robin chooses as its rules say, whatever "
          "happens") {
  check_against_model("interleaved_weighted_round_robin");
}
