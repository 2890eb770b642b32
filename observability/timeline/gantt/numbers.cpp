#include "libpool/observability/timeline/gantt/numbers.hpp"

#include "libpool/observability/timeline/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace libpool::detail {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr duration one_ns{1};
constexpr duration one_us{1000};
constexpr duration one_ms{1'000'000};

constexpr std::array units{
  unit{"d", hours{24}, hours{48}},     unit{"h", hours{1}, hours{2}},
  unit{"min", minutes{1}, minutes{2}}, unit{"s", seconds{1}, seconds{1}},
  unit{"ms", one_ms, one_ms},          unit{"\u00B5s", one_us, one_us},
  unit{"ns", one_ns, one_ns},
};

} // namespace

const unit& unit_for(duration time) noexcept {
  return *std::find_if(units.begin(), units.end() - 1,
                       [=](const unit& x) { return time >= x.least; });
}

std::string text_of(duration time, const unit& in) {
  auto whole = time / in.length;
  auto rest = (time % in.length).count();
  auto length = in.length.count();
  auto out = decimal(whole * 1000 + (rest * 1000 + length / 2) / length);
  return out.append("\u00A0").append(in.name);
}

std::string text_of(duration time) {
  return text_of(time, unit_for(time));
}

std::string grouped(std::uint64_t number) {
  auto out = std::to_string(number);
  for (auto index = out.size(); index > 3;)
    out.insert(index -= 3, "\u202F");
  return out;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  auto out = grouped(number).append(" ").append(noun);
  return number == 1 ? out : out + 's';
}

std::string percent(double share) {
  return std::to_string(std::llround(100 * share)) + "\u2009%";
}

duration tick_step(duration end) {
  auto least = end / 10;
  if (least <= seconds{10})
    return round_up(one_ns, least);
  for (duration step :
       {duration{seconds{30}}, duration{minutes{1}}, duration{minutes{2}},
        duration{minutes{5}}, duration{minutes{10}}, duration{minutes{15}},
        duration{minutes{30}}, duration{hours{1}}, duration{hours{2}},
        duration{hours{6}}, duration{hours{12}}})
    if (step >= least)
      return step;
  return round_up(duration{hours{24}}, least);
}

} // namespace libpool::detail
