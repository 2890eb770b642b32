#include "libpool/live/pictures.hpp"

#include "libpool/live/reply.hpp"
#include "libpool/timeline/timeline.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace libpool::live {

namespace {

using std::chrono::seconds;

constexpr std::uint64_t most_seconds = 600;

std::map<worker_number, std::string> names_in(const watched_pool& pool) {
  auto handle = pool.handle();
  return handle ? names_of(pool.look(handle).stats.members)
                : std::map<worker_number, std::string>{};
}

struct time_window {
  explicit time_window(duration last) noexcept : since(later(now, -last)) {
    // nop
  }

  instant now = std::chrono::steady_clock::now();
  instant since;
};

std::shared_ptr<timeline> timeline_of(const watched_pool& pool,
                                      const recording& recorded, instant now) {
  auto result =
    std::make_shared<timeline>(libpool::timeline_of(recorded, names_in(pool)));
  result->extend_to(now);
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

std::optional<duration> asked_time(const httplib::Request& of,
                                   httplib::Response& to) {
  if (!of.has_param("seconds"))
    return seconds{10};
  if (auto number = number_in(of.get_param_value("seconds"), most_seconds))
    return seconds{*number};
  say(to, 400,
      "seconds must be a whole number between 1 and 600, got '"
        + of.get_param_value("seconds") + "'");
  return std::nullopt;
}

std::function<void(std::ostream&)> trace_of(const watched_pool& pool,
                                            duration last) {
  const time_window window{last};
  auto picture = timeline_of(pool, pool.recorded_since(window.since),
                             window.now);
  return [picture](std::ostream& out) { write_trace(out, *picture); };
}

std::function<void(std::ostream&)> gantt_of(const watched_pool& pool,
                                            duration last) {
  const time_window window{last};
  auto recorded = pool.recorded_since(window.since);
  auto picture = timeline_of(pool, recorded, window.now);
  const time_span shown{std::clamp(recorded.since, window.since, window.now),
                        std::max(recorded.taken, window.now)};
  return [=](std::ostream& out) { write_gantt(out, *picture, shown); };
}

} // namespace libpool::live
