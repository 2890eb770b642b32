/// Playheads that ask for frames by due times, and drop what they asked for
/// when they seek, as those of apps/render_queue.

#include "libpool/pool.hpp"
#include "support/managed_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using libpool::actor_pool;
using libpool::errc;
using libpool::selection;
using test::managed_world;
using test::numbers;
using test::scripted;
using namespace std::chrono_literals;

namespace {

/// Frames that were asked for are numbered from 0. Times are in ms from the
/// begin of the test.
struct frame {
  int playhead = 0;
  int due = 0;
  /// The answer that is expected; empty: the frame.
  std::optional<errc> error = std::nullopt;
  std::uint64_t request = 0;
};

/// A pool of readers that promise frames.
struct playhead_world : managed_world {
  explicit playhead_world(int most_running = 2) : most(most_running) {
    options.deadline_of = [this](const libpool::message_content& content)
      -> std::optional<libpool::duration> {
      return 1ms * (content.get_as<int>(1) - now);
    };
    options.throttled_by = [](const libpool::message_content& content) {
      return libpool::flow_key{content.get_as<int>(0)};
    };
    options.busy_until = libpool::busy_until::answer;
    options.throttles = limits();
  }

  libpool::throttles limits() const {
    libpool::throttles result;
    result.of_each_flow.most_running = static_cast<std::size_t>(most);
    return result;
  }

  void populate(int readers) {
    idle = readers;
    pool = actor_pool::make(
      system(), static_cast<std::size_t>(readers),
      [this] { return system().spawn<scripted>(reading()); },
      actor_pool::earliest_deadline(options));
    run();
  }

  scripted::script reading() {
    return [this](scripted& self) -> caf::behavior {
      auto begin = [this, &self](int, int, int number) {
        begun.push_back(number);
        holders.push_back(&self);
        tasks.push_back(libpool::this_task(&self));
        promises.push_back(self.make_response_promise());
        return promises.back();
      };
      auto keep = [this](caf::ok_atom, std::size_t i, int number) {
        auto kept = std::move(promises.at(i));
        kept.deliver(number);
      };
      return {begin, keep};
    };
  }

  /// Asks for a frame; returns its number.
  int ask(int playhead, int due) {
    auto number = static_cast<int>(frames.size());
    frames.push_back({playhead, due});
    waiting.emplace(due, number);
    start_waiting();
    frames.back().request = request(playhead, due, number);
    return number;
  }

  /// Drops all frames that the playhead has asked for.
  void seek(int playhead) {
    auto is_meant = [&](int number) {
      return frame_of(number).playhead == playhead;
    };
    auto counts =
      actor_pool::cancel(pool, selection::of_flow(std::to_string(playhead)));
    auto dropped = settle_waiting(is_meant, errc::cancelled);
    auto stopped = settle_running(is_meant, errc::cancelled);
    CHECK(counts.waiting == dropped);
    CHECK(counts.running == stopped);
    run();
  }

  /// Has the reader of this frame answer.
  void finish(int number) {
    auto found = std::find(begun.begin(), begun.end(), number);
    REQUIRE(found != begun.end());
    running.erase(number);
    ++idle;
    start_waiting();
    deliver(static_cast<std::size_t>(found - begun.begin()), number);
  }

  void pass_ms(int time) {
    now += time;
    auto is_late = [this](int number) { return frame_of(number).due <= now; };
    settle_waiting(is_late, errc::deadline_exceeded);
    settle_running(is_late, errc::deadline_exceeded);
    advance(1ms * time);
  }

  void limit(int most_running) {
    most = most_running;
    start_waiting();
    actor_pool::set_limits(pool, limits());
    run();
  }

  /// The frames that readers have begun so far are those that were to begin, in
  /// this order; readers are asked to stop if and only if their frame is
  /// settled.
  void check_starts() {
    CHECK(begun == expected);
    for (std::size_t i = 0; i < begun.size(); ++i)
      if (running.count(begun[i]) > 0)
        CHECK(tasks[i].stop_requested()
              == frame_of(begun[i]).error.has_value());
  }

  /// Ends what runs, and checks that each request was answered once, and how.
  void check_answers() {
    while (!running.empty())
      finish(*running.begin());
    check_starts();
    CHECK(waiting.empty());
    for (const auto& each : frames)
      if (each.error)
        CHECK(error_of(each.request) == *each.error);
      else
        CHECK(result_of(each.request) == &each - frames.data());
  }

  frame& frame_of(int number) {
    return frames.at(static_cast<std::size_t>(number));
  }

  int running_of(int playhead) {
    return static_cast<int>(
      std::count_if(running.begin(), running.end(), [&](int number) {
        return frame_of(number).playhead == playhead;
      }));
  }

  int most = 0;
  int now = 0;
  int idle = 0;
  std::vector<frame> frames;
  /// The frames that wait, by due time and then by their numbers, and those
  /// that readers have begun and not answered.
  std::set<std::pair<int, int>> waiting;
  std::set<int> running;
  /// All frames that were to begin, and that have begun.
  numbers expected;
  numbers begun;
  std::vector<libpool::running_task> tasks;

private:
  /// While a reader is idle, the frame that is due first begins, of the
  /// playheads below their limit.
  void start_waiting() {
    auto is_eligible = [this](const std::pair<int, int>& each) {
      return running_of(frame_of(each.second).playhead) < most;
    };
    while (idle > 0) {
      auto next = std::find_if(waiting.begin(), waiting.end(), is_eligible);
      if (next == waiting.end())
        return;
      expected.push_back(next->second);
      running.insert(next->second);
      waiting.erase(next);
      --idle;
    }
  }

  template <class Predicate>
  std::size_t settle_waiting(Predicate is_meant, errc why) {
    auto before = waiting.size();
    for (auto i = waiting.begin(); i != waiting.end();)
      if (is_meant(i->second)) {
        frame_of(i->second).error = why;
        i = waiting.erase(i);
      } else {
        ++i;
      }
    return before - waiting.size();
  }

  template <class Predicate>
  std::size_t settle_running(Predicate is_meant, errc why) {
    std::size_t result = 0;
    for (auto number : running)
      if (is_meant(number) && !frame_of(number).error) {
        frame_of(number).error = why;
        ++result;
      }
    return result;
  }
};

} // namespace

TEST_CASE_FIXTURE(playhead_world, "a playhead that seeks gets its new frames "
                                  "by due time, and none of its old ones") {
  populate(2);
  auto first = ask(1, 100);
  auto second = ask(1, 200);
  auto dropped = ask(1, 50);
  auto other = ask(2, 400);
  CHECK(begun == numbers{first, second});
  seek(1);
  CHECK(error_of(frame_of(dropped).request) == errc::cancelled);
  CHECK(error_of(frame_of(first).request) == errc::cancelled);
  CHECK(tasks.at(0).stop_requested());
  auto later = ask(1, 500);
  auto sooner = ask(1, 300);
  finish(first);
  finish(second);
  CHECK(begun == numbers{first, second, sooner, other});
  finish(other);
  CHECK(begun.back() == later);
  check_answers();
}

TEST_CASE_FIXTURE(playhead_world, "a playhead that reads far ahead leaves "
                                  "readers to the other playheads") {
  populate(3);
  for (auto due : {10, 20, 30, 40})
    ask(1, due);
  CHECK(begun.size() == 2);
  auto other = ask(2, 1000);
  CHECK(begun.back() == other);
  pass_ms(20);
  auto last = ask(2, 1001);
  CHECK(begun.size() == 3); // readers of frames that are late are still busy
  finish(0);
  CHECK(begun.back() == 2); // frame 2 of playhead 1 is due first
  finish(2);
  CHECK(begun.back() == 3);
  finish(3);
  CHECK(begun.back() == last);
  check_answers();
}

TEST_CASE("frames begin by due time among the playheads below their limit, and "
          "each request is answered once, whatever playheads do") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    auto draw = [&](int least, int most) {
      return std::uniform_int_distribution<int>{least, most}(random);
    };
    playhead_world world{draw(1, 3)};
    world.populate(draw(1, 4));
    for (auto step = 0; step < 60; ++step) {
      auto which = draw(0, 19);
      if (which < 10)
        world.ask(draw(1, 4), world.now + draw(1, 30));
      else if (which < 15 && !world.running.empty())
        world.finish(
          *std::next(world.running.begin(),
                     draw(0, static_cast<int>(world.running.size()) - 1)));
      else if (which < 17)
        world.seek(draw(1, 4));
      else if (which < 19)
        world.pass_ms(draw(1, 10));
      else
        world.limit(draw(0, 3));
      world.check_starts();
    }
    world.limit(3);
    world.check_answers();
  }
}
