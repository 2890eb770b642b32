/// The example with the playheads that seek. Nothing here depends on the speed
/// of the machine.

#include "render_queue/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

using namespace render_queue;

namespace {

/// A frame of a script.
struct planned_frame {
  frame what;
  /// Whether the playhead seeks elsewhere before the frame is due.
  bool is_dropped = false;
};

using planned_frames =
  std::map<std::pair<std::uint32_t, duration>, planned_frame>;

/// All frames of a script, by generation and due time.
planned_frames frames_of(const script& script) {
  planned_frames result;
  for (std::size_t tick = 0; tick < script.size(); ++tick) {
    if (script[tick].seeks)
      for (auto& each : result)
        if (each.first.second > time_of(tick))
          each.second.is_dropped = true;
    for (const auto& each : script[tick].asks)
      CHECK(result.insert({{each.generation, each.due}, {each}}).second);
  }
  return result;
}

/// More requests than the readers can keep up with.
scenario overload() {
  scenario result;
  result.playheads = 3;
  result.readers = 3;
  result.most_reading = 1;
  result.seconds = 0.5;
  result.seed = 7;
  return result;
}

} // namespace

TEST_CASE(
  "equal seeds give equal scripts, and other seeds give other scripts") {
  scenario wanted;
  auto works = [&](std::uint32_t playhead) {
    std::vector<duration> result;
    for (const auto& [key, each] : frames_of(script_of(wanted, playhead)))
      result.push_back(each.what.work);
    return result;
  };
  const auto first = works(0);
  CHECK(first == works(0));
  CHECK(first != works(1));
  wanted.seed = 2;
  CHECK(first != works(0));
}

TEST_CASE("a playhead asks for frames in the order of their due times, and at "
          "most so many ahead as it may") {
  scenario wanted;
  wanted.read_ahead = 5;
  const auto script = script_of(wanted, 0);
  std::uint32_t generation = 0;
  duration last{-1};
  std::size_t asked = 0;
  for (std::size_t tick = 0; tick < script.size(); ++tick) {
    const auto& step = script[tick];
    if (step.seeks) {
      ++generation;
      last = duration{-1};
    }
    for (const auto& each : step.asks) {
      CHECK(each.generation == generation);
      CHECK(each.due > time_of(tick));
      CHECK(each.due < time_of(tick + 7));
      CHECK(each.due > last);
      last = each.due;
      ++asked;
    }
  }
  CHECK(generation > 3);
  CHECK(asked > script.size());
}

TEST_CASE("each frame is settled once, none is shown after a seek, and no "
          "playhead has more readers than it may have") {
  const auto wanted = overload();
  source_maker make;
  SUBCASE("with a managed pool") {
    make = by_pool;
  }
  SUBCASE("by hand") {
    make = by_hand;
  }
  const auto result = run(make, wanted);
  REQUIRE(result.playheads.size() == wanted.playheads);
  std::uint64_t asked = 0;
  std::uint64_t on_time = 0;
  for (std::uint32_t i = 0; i < wanted.playheads; ++i) {
    const auto& seen = result.playheads[i];
    auto planned = frames_of(script_of(wanted, i));
    CHECK(seen.asked == planned.size());
    CHECK(seen.answered == seen.asked);
    asked += seen.asked;
    for (const auto& each : seen.frames) {
      const auto found = planned.find({each.what.generation, each.what.due});
      REQUIRE(found != planned.end()); // asked for, and not settled before
      CHECK((each.how == fate::dropped) == found->second.is_dropped);
      on_time += each.how == fate::on_time ? 1 : 0;
      planned.erase(found);
    }
    CHECK(planned.empty());
  }
  CHECK(result.reads.most_at_once <= wanted.most_reading);
  CHECK(result.reads.finished >= on_time);
  CHECK(result.reads.finished + result.reads.stopped <= asked);
  CHECK(result.reads.wasted <= result.reads.finished);
}
