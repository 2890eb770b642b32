#include "support/fact_decoding.hpp"
#include "support/giving_options.hpp"

#include <chrono>
#include <memory>
#include <utility>

using libpool::assignment;
using libpool::fair_mode;
using libpool::overflow;
using libpool::too_wide;

namespace test {

namespace {

constexpr std::array<const char*, 16> names{
  "submit", "start", "finish", "crash",  "come_back", "cancel",
  "refuse", "tick",  "join",   "retire", "leave",     "pause",
  "resume", "close", "desert", "abandon"};

/// What happens often is there more than once.
constexpr std::array<kind, 32> kinds{
  kind::submit,    kind::submit, kind::submit, kind::submit, kind::submit,
  kind::submit,    kind::submit, kind::start,  kind::start,  kind::start,
  kind::start,     kind::start,  kind::finish, kind::finish, kind::finish,
  kind::finish,    kind::crash,  kind::crash,  kind::pause,  kind::come_back,
  kind::come_back, kind::resume, kind::cancel, kind::cancel, kind::tick,
  kind::tick,      kind::tick,   kind::join,   kind::join,   kind::retire,
  kind::leave,     kind::refuse};

/// The placement, and what has to be as it wants it, or as its laws do.
void decode_policies(settings& how, std::uint8_t byte) {
  constexpr std::array<std::string_view, 4> measures{
    "service_time", "cpu_time", "wait_time", "service_time"};
  const auto& all = libpool::placements();
  how.placement = all[byte % 16U % all.size()].name;
  how.when = how.placement.entry().needs.value_or(how.when);
  give(how.placement, "measure", measures[byte >> 6U]);
  give(how.placement, "history", std::size_t{4});
  give(how.placement, "probe_every", std::size_t{2});
  how.by_priority = how.when == assignment::lazy && (byte & 32U) != 0;
  if ((byte & 16U) != 0)
    how.age_step = std::chrono::milliseconds{2};
  how.holds_keys = how.placement.name() == "consistent_hash";
  how.keeps_keys = how.holds_keys && (byte & 16U) != 0;
  if (how.keeps_keys) {
    how.steals = false;
    how.within.retries = 0;
  }
}

/// Whether the order goes by flows, and what it is told then.
void decode_flows(settings& how, std::uint8_t byte) {
  using std::chrono::milliseconds;
  how.by_flows = (byte & 1U) != 0
                 && how.placement.entry().needs != assignment::eager;
  if (!how.by_flows)
    return;
  constexpr std::array<std::size_t, 4> limits{0, 0, 1, 3};
  constexpr std::size_t few = 2;
  how.when = assignment::lazy;
  how.by_priority = false;
  auto& flows = how.flows;
  flows.mode = (byte & 2U) == 0 ? fair_mode::exact : fair_mode::kubernetes;
  flows.guess = milliseconds{1};
  flows.shares = {{"1", 2}};
  if (auto limit = limits[byte >> 2U & 3U]; limit > 0)
    how.queue_limit = flows.queue_limit = limit;
  if ((byte & 16U) != 0)
    flows.most_flows = few;
  flows.debt_memory = milliseconds{(byte & 64U) != 0 ? 0 : 2};
  flows.queues = 3;
  flows.hand_size = 1 + (byte >> 4U & 1U);
  how.parts_flows = flows.mode == fair_mode::exact && flows.most_flows > few;
  how.within.too_wide = (byte & 32U) == 0 ? too_wide::clamp : too_wide::refuse;
  how.is_narrow = (byte & 128U) != 0;
}

std::string text_of_flows(const settings& how) {
  if (!how.by_flows)
    return {};
  const auto& flows = how.flows;
  auto result =
    std::string{flows.mode == fair_mode::exact ? ", exact" : ", kubernetes"}
    + (flows.queue_limit ? ", limit " + std::to_string(*flows.queue_limit) : "")
    + (how.parts_flows ? "" : ", few queues")
    + (how.within.too_wide == too_wide::refuse ? ", refuses" : "")
    + (how.is_narrow ? ", narrow" : "") + ", seats";
  for (auto seats : how.seats)
    result += " " + std::to_string(seats);
  return result;
}

} // namespace

settings decoded_settings(const std::uint8_t* bytes) {
  constexpr auto endless = static_cast<std::size_t>(-1);
  constexpr std::array<std::size_t, 8> capacities{endless, 0, 1, 2,
                                                  3,       5, 8, endless};
  settings result;
  result.when = (bytes[0] & 1U) == 0 ? assignment::lazy : assignment::eager;
  result.steals = (bytes[0] & 2U) != 0;
  result.within.on_overflow = (bytes[0] & 4U) == 0 ? overflow::refuse
                                                   : overflow::drop_oldest;
  result.within.retries = (bytes[0] >> 3U) % 3;
  result.within.poison_after = (bytes[0] >> 5U) % 3;
  result.within.capacity = capacities[bytes[1] % capacities.size()];
  result.weighs_costs = (bytes[1] & 8U) != 0;
  for (std::size_t i = 0; i < most_workers; ++i) {
    result.windows[i] = 1 + (bytes[2] >> (2 * i)) % 4U % 3U;
    result.seats[i] = 1 + (bytes[6] >> (2 * i)) % 4U % 3U;
  }
  result.joined = (bytes[3] + 1U) % (most_workers + 1);
  result.end = bytes[3] / 8U % 4U;
  result.weighs = (bytes[3] & 128U) != 0;
  decode_policies(result, bytes[4]);
  decode_flows(result, bytes[5]);
  return result;
}

fact decoded_fact(const std::uint8_t* bytes) {
  constexpr std::array<unsigned, 16> pauses{0, 0, 0, 0, 0, 0, 0, 1,
                                            1, 1, 1, 2, 2, 3, 5, 9};
  constexpr std::array<std::size_t, 8> widths{1, 1, 1, 2, 2, 3, 5, 1000};
  constexpr std::array<unsigned, 4> moves{0, 0, 2, 1000};
  constexpr std::array<unsigned, 8> costs{0, 0, 0, 0, 1, 2, 6, 100};
  fact result{};
  result.is = kinds[bytes[0] % kinds.size()];
  result.dispatches = (bytes[0] >> 5U) % 4U != 3;
  result.urgent = (bytes[0] & 128U) != 0;
  result.pick = bytes[1] % 16U;
  result.repeatable = (bytes[1] & 16U) == 0;
  result.wild = bytes[1] >= 224;
  result.ms_later = pauses[bytes[2] % 16U];
  result.due_in = bytes[2] / 16U;
  auto where = bytes[3] % 8U;
  auto home = bytes[3] / 32U;
  result.where = where < 2 ? 0 : where - 1;
  result.level = bytes[3] / 8U % 4U;
  result.home = home < 4 ? 0 : home - 3;
  result.flow = bytes[4] % 8U % 5U;
  result.width = widths[bytes[4] / 8U % widths.size()];
  result.move_ms = moves[bytes[4] / 64U];
  result.cost_ms = costs[bytes[4] / 8U % costs.size()];
  constexpr std::array<kind, 8> rare{kind::desert, kind::desert, kind::desert,
                                     kind::refuse, kind::refuse, kind::refuse,
                                     kind::close,  kind::abandon};
  if (result.wild && result.is == kind::refuse)
    result.is = rare[result.pick % rare.size()];
  return result;
}

libpool::composition policies_of(const settings& how, watched_order*& order,
                                 watched_placement*& placement) {
  auto result = composed(how.when, how.steals);
  auto placing = std::make_unique<watched_placement>(how.placement.make());
  placement = placing.get();
  result.placement = std::move(placing);
  if (how.steals && how.weighs_costs)
    result.stealing = libpool::stealing_named("cost_aware").make({});
  if (how.by_priority)
    result.order = libpool::order_named("priority")
                     .make(libpool::priority_options{how.age_step});
  if (how.by_flows)
    result.order = libpool::order_named("fair_queuing").make(how.flows);
  auto watched = std::make_unique<watched_order>(std::move(result.order));
  order = watched.get();
  result.order = std::move(watched);
  return result;
}

std::string text_of(const settings& how) {
  auto result =
    std::string{how.placement.name()}
    + (how.when == assignment::lazy ? ", lazy" : ", eager")
    + (how.by_priority ? ", by priority" : "")
    + (how.by_priority && how.age_step ? " and age" : "")
    + (how.keeps_keys ? ", keeps keys" : "") + (how.weighs ? ", weighs" : "")
    + (how.steals ? ", steals" : "")
    + (how.steals && how.weighs_costs ? " by costs" : "")
    + (how.within.on_overflow == overflow::refuse ? "" : ", drops the oldest")
    + ", capacity " + std::to_string(how.within.capacity) + ", retries "
    + std::to_string(how.within.retries) + ", poison after "
    + std::to_string(how.within.poison_after) + ", windows";
  for (auto window : how.windows)
    result += " " + std::to_string(window);
  return result + text_of_flows(how) + ", joined " + std::to_string(how.joined)
         + "\n";
}

const char* name_of(kind which) {
  return names[static_cast<std::size_t>(which)];
}

std::string text_of(const fact& fact) {
  std::string result = name_of(fact.is);
  if (fact.is != kind::submit)
    return result;
  auto add = [&](bool is_there, const char* name, std::size_t number) {
    if (is_there)
      result += std::string{" "} + name + " " + std::to_string(number);
  };
  result += fact.urgent ? " urgent" : "";
  result += fact.repeatable ? "" : " once";
  add(fact.due_in > 0, "due in", fact.due_in - 1);
  add(fact.where > 0, "where", fact.where - 1);
  add(fact.level > 0, "level", fact.level);
  add(fact.home > 0, "home", fact.home - 1);
  add(true, "flow", fact.flow);
  add(true, "width", fact.width);
  add(fact.move_ms > 0, "move", fact.move_ms);
  add(fact.cost_ms > 0, "cost", fact.cost_ms - 1);
  return result;
}

} // namespace test
