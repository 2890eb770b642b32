#include "libpool/observability/live/pictures.hpp"

#include "libpool/observability/timeline/timeline.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <sstream>

namespace libpool::live {

namespace {

using std::chrono::seconds;

constexpr std::uint64_t most_seconds = 600;

std::map<worker_number, std::string> names_in(const watched_pool& pool) {
  auto handle = pool.handle();
  return handle ? names_of(pool.look(handle, {}).stats.members)
                : std::map<worker_number, std::string>{};
}

struct time_window {
  explicit time_window(duration last) noexcept : since(later(now, -last)) {
    // nop
  }

  instant now = std::chrono::steady_clock::now();
  instant since;
};

timeline timeline_of(const watched_pool& pool, const recording& recorded,
                     instant now) {
  auto result = libpool::timeline_of(recorded, names_in(pool));
  result.extend_to(now);
  return result;
}

} // namespace

std::optional<std::uint64_t> number_in(const std::string& text,
                                       std::uint64_t most) {
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, result);
  if (problem != std::errc{} || stop != end || result == 0 || result > most)
    return std::nullopt;
  return result;
}

std::optional<duration> asked_time(const request& request, reply& reply) {
  if (request.parameters.count("seconds") == 0)
    return seconds{10};
  if (auto number = number_in(request.parameter("seconds"), most_seconds))
    return seconds{*number};
  reply.say(400, "seconds must be a whole number between 1 and 600, got '"
                   + request.parameter("seconds") + "'");
  return std::nullopt;
}

std::string trace_of(const watched_pool& pool, duration last) {
  const time_window window{last};
  std::ostringstream out;
  write_trace(out,
              timeline_of(pool, pool.recorded_since(window.since), window.now));
  return out.str();
}

std::string gantt_of(const watched_pool& pool, duration last) {
  const time_window window{last};
  auto recorded = pool.recorded_since(window.since);
  auto picture = timeline_of(pool, recorded, window.now);
  const time_span shown{std::clamp(recorded.since, window.since, window.now),
                        std::max(recorded.taken, window.now)};
  std::ostringstream out;
  write_gantt(out, picture, shown);
  return out.str();
}

} // namespace libpool::live
