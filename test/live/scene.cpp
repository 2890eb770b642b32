/// A view of made-up pools, to look at: `live_scene NAME [PORT]`, until its
/// input ends.

#include "libpool/live/live_view.hpp"
#include "work.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using test::live_world;

namespace {

/// Calls the function again and again, with a pause between.
class repeating {
public:
  repeating(std::chrono::microseconds pause, std::function<void()> what)
    : thread_([this, pause, what = std::move(what)] {
        while (!is_over_) {
          what();
          pause_.pass(pause);
        }
      }) {
    // nop
  }

  repeating(const repeating&) = delete;
  repeating& operator=(const repeating&) = delete;

  ~repeating() {
    is_over_ = true;
    pause_.open();
    thread_.join();
  }

private:
  std::atomic<bool> is_over_{false};
  test::turnstile pause_;
  std::thread thread_;
};

libpool::live_options at(std::uint16_t port) {
  libpool::live_options result;
  result.port = port;
  result.token = std::getenv("TOKEN") == nullptr ? "" : std::getenv("TOKEN");
  return result;
}

void wait_at(const libpool::live_view& view) {
  std::cout << view.url() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    // nop
  }
}

class draws {
public:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(engine_);
  }

  std::chrono::microseconds around(std::chrono::microseconds mean) {
    std::lognormal_distribution<double> spread{0, 0.7};
    return std::chrono::microseconds{static_cast<std::int64_t>(
      static_cast<double>(mean.count()) * spread(engine_))};
  }

private:
  std::mt19937_64 engine_{7};
};

const std::vector<std::string> names{"index", "thumbnails", "mail", "search",
                                     "backup"};

void running(std::uint16_t port) {
  live_world world{8};
  libpool::live_view view{at(port)};
  view.add(world.pool, "hashing");
  draws draw;
  repeating feed{
    2ms,
    [&] { world.send(names[draw.below(names.size())], draw.around(12ms)); }};
  wait_at(view);
}

void idle(std::uint16_t port) {
  live_world world{4};
  libpool::live_view view{at(port)};
  view.add(world.pool, "hashing");
  wait_at(view);
}

void stuck(std::uint16_t port) {
  live_world world{4};
  libpool::live_view view{at(port)};
  view.add(world.pool, "hashing");
  world.send("index", test::until_opened);
  draws draw;
  repeating feed{
    20ms,
    [&] { world.send(names[draw.below(names.size())], draw.around(12ms)); }};
  wait_at(view);
}

void flood(std::uint16_t port) {
  libpool::managed_options how;
  how.capacity = 10'000;
  live_world world{8, how};
  libpool::live_view view{at(port)};
  view.add(world.pool, "api");
  draws draw;
  repeating feed{4ms, [&] {
                   world.send("tenant-" + std::to_string(draw.below(64)),
                              draw.around(20ms));
                 }};
  repeating flood{5ms, [&] { world.send("tenant-7", draw.around(20ms), 20); }};
  wait_at(view);
}

void thousand(std::uint16_t port) {
  live_world world{1000, {}, false};
  libpool::live_view view{at(port)};
  view.add(world.pool, "many");
  draws draw;
  repeating feed{
    1ms, [&] { world.send(names[draw.below(names.size())], 100us, 20); }};
  wait_at(view);
}

void failing(std::uint16_t port) {
  libpool::managed_options how;
  how.restart.max = 1000;
  how.restart.longest_pause = 10ms;
  how.capacity = 20;
  live_world world{3, how};
  libpool::live_view view{at(port)};
  view.add(world.pool, "brittle");
  draws draw;
  repeating feed{6ms, [&] {
                   world.send(draw.below(20) == 0
                                ? "unlucky"
                                : names[draw.below(names.size())],
                              draw.around(20ms));
                 }};
  wait_at(view);
}

void pipeline(std::uint16_t port) {
  test::config settings;
  caf::actor_system system{settings};
  auto gate = std::make_shared<test::turnstile>();
  auto taking = [gate](std::chrono::microseconds time) {
    return [gate, time](int x) {
      gate->pass(time);
      return x;
    };
  };
  libpool::stage_options eight;
  eight.credit = 8;
  eight.workers = 4;
  libpool::stage_options four;
  four.credit = 4;
  auto plan = libpool::function_stage("read", taking(1ms), four)
              | libpool::function_stage("parse", taking(40ms), eight)
              | libpool::function_stage("count", taking(2ms), eight);
  libpool::pipeline_options how;
  how.answer = libpool::answer_when::accepted;
  auto line = libpool::spawn_pipeline(system, plan, how);
  libpool::live_view view{at(port)};
  view.add_pipeline(line, "words");
  {
    repeating feed{5ms, [&] { caf::anon_send(line, 1); }};
    wait_at(view);
  }
  gate->open();
  caf::anon_send_exit(line, caf::exit_reason::user_shutdown);
}

struct scene {
  const char* name;
  void (*show)(std::uint16_t);
};

constexpr std::array<scene, 7> scenes{{{"running", running},
                                       {"idle", idle},
                                       {"stuck", stuck},
                                       {"flood", flood},
                                       {"thousand", thousand},
                                       {"failing", failing},
                                       {"pipeline", pipeline}}};

} // namespace

int main(int argc, char** argv) {
  std::string name = argc > 1 ? argv[1] : "";
  auto port = static_cast<std::uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  for (auto& each : scenes)
    if (name == each.name) {
      each.show(port);
      return 0;
    }
  std::cerr << "usage: live_scene "
               "running|idle|stuck|flood|thousand|failing|pipeline [PORT]\n";
  return 2;
}
