#include "workload.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace render_queue {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using real_ms = std::chrono::duration<double, std::milli>;

/// Number of ticks from a seek to the first frame after it.
constexpr std::size_t lead = 2;
constexpr std::uint64_t frames_of_film = 100'000;
constexpr std::uint64_t group_of_pictures = 24;

std::mt19937_64 generator(std::uint64_t seed, std::uint64_t playhead,
                          std::uint64_t index) {
  std::seed_seq mixed{seed, playhead, index};
  return std::mt19937_64{mixed};
}

duration work_of(std::uint64_t seed, std::uint32_t playhead,
                 std::uint64_t index) {
  auto random = generator(seed, playhead, index + 1);
  std::exponential_distribution<double> more{1.0 / 14};
  const real_ms sum{4 + std::min(more(random), 60.0)};
  const auto is_key = index % group_of_pictures == 0;
  return duration_cast<duration>(sum) + milliseconds{is_key ? 80 : 0};
}

/// Number of ticks until the next seek, at least 1.
std::size_t draw_gap(std::mt19937_64& random, double mean) {
  std::exponential_distribution<double> gaps{1 / mean};
  return 1 + static_cast<std::size_t>(gaps(random));
}

} // namespace

duration time_of(std::size_t tick) {
  const auto seconds = static_cast<double>(tick) / rate;
  return duration_cast<duration>(std::chrono::duration<double>{seconds});
}

script script_of(const scenario& scenario, std::uint32_t playhead) {
  const auto ticks =
    static_cast<std::size_t>(std::llround(scenario.seconds * rate));
  const auto mean_gap = rate * (playhead == 0 ? 0.5 : 3.0);
  auto random = generator(scenario.seed, playhead, 0);
  std::uniform_int_distribution<std::uint64_t> places{0, frames_of_film};
  script result(ticks + 1);
  std::size_t next_seek = 0;
  frame next;
  next.playhead = playhead;
  std::size_t next_due = 0;
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    auto& now = result[tick];
    if (tick == next_seek) {
      now.seeks = tick > 0;
      next.generation += now.seeks ? 1 : 0;
      next.index = places(random);
      next_due = tick + lead;
      next_seek += draw_gap(random, mean_gap);
    }
    for (; next_due < tick + lead + scenario.read_ahead; ++next_due) {
      next.due = time_of(next_due);
      next.work = work_of(scenario.seed, playhead, next.index);
      now.asks.push_back(next);
      ++next.index;
    }
  }
  result.back().seeks = true;
  return result;
}

} // namespace render_queue
