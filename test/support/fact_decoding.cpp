#include "support/fact_decoding.hpp"

#include "libpool/policies/order/priority.hpp"
#include "support/fair_model.hpp"
#include "support/fair_order.hpp"
#include "support/giving_options.hpp"
#include "support/placement_models.hpp"

#include <memory>
#include <string_view>

using libpool::assignment;
using libpool::fair_mode;
using libpool::overflow;
using libpool::too_wide;

namespace test {

namespace {

/// Facts that happen often are there more than once.
constexpr std::array<kind, 46> kinds{
  kind::submit,         kind::submit,
  kind::submit,         kind::submit,
  kind::submit,         kind::submit,
  kind::submit,         kind::submit,
  kind::start,          kind::start,
  kind::start,          kind::start,
  kind::finish,         kind::finish,
  kind::finish,         kind::finish,
  kind::crash,          kind::crash,
  kind::pause,          kind::come_back,
  kind::come_back,      kind::resume,
  kind::cancel,         kind::cancel,
  kind::tick,           kind::tick,
  kind::tick,           kind::join,
  kind::join,           kind::retire,
  kind::leave,          kind::refuse,
  kind::start,          kind::spare,
  kind::keep,           kind::suspend,
  kind::reinstate,      kind::limit,
  kind::suspend_flow,   kind::reinstate_flow,
  kind::reinstate_flow, kind::reinstate_all,
  kind::suspend_worker, kind::reinstate_worker,
  kind::fail,           kind::fail};

constexpr std::array<std::string_view, 27> names{
  "submit",        "start",          "finish",
  "crash",         "fail",           "come_back",
  "cancel",        "spare",          "keep",
  "refuse",        "tick",           "close",
  "desert",        "abandon",        "suspend",
  "reinstate",     "suspend_flow",   "reinstate_flow",
  "reinstate_all", "limit",          "join",
  "retire",        "leave",          "pause",
  "resume",        "suspend_worker", "reinstate_worker"};

/// The placement, and settings that it, or its laws, depend on.
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
    how.age_step = time_units(2);
  how.holds_keys = how.placement.name() == "consistent_hash";
  how.keeps_keys = how.holds_keys && (byte & 16U) != 0;
  if (how.keeps_keys) {
    how.steals = false;
    how.within.retries = 0;
  }
}

/// Whether the order goes by flows, and its options.
void decode_flows(settings& how, std::uint8_t byte) {
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
  flows.guess = time_units(1);
  flows.shares = {{"1", 2}};
  if (auto limit = limits[byte >> 2U & 3U]; limit > 0)
    how.queue_limit = flows.queue_limit = limit;
  if ((byte & 16U) != 0)
    flows.most_flows = few;
  flows.debt_memory = time_units((byte & 64U) != 0 ? 0 : 2);
  flows.queues = 3;
  flows.hand_size = 1 + (byte >> 4U & 1U);
  how.parts_flows = flows.mode == fair_mode::exact && flows.most_flows > few;
  how.within.too_wide = (byte & 32U) == 0 ? too_wide::clamp : too_wide::refuse;
  how.is_narrow = (byte & 128U) != 0;
}

/// Of mode exact with a queue for each flow that there is.
std::unique_ptr<fair_model> fair_model_of(const settings& how) {
  return how.parts_flows ? std::make_unique<fair_model>(how.flows) : nullptr;
}

std::unique_ptr<watched_order> order_of(const settings& how) {
  if (how.by_flows)
    return std::make_unique<watched_order>(fair_order(how.flows, how.start),
                                           fair_model_of(how));
  libpool::chosen<libpool::order> order{"fifo"};
  if (how.by_deadline)
    order = "earliest_deadline";
  else if (how.by_priority)
    order = {"priority", libpool::priority_options{how.age_step}};
  return std::make_unique<watched_order>(order.make());
}

std::unique_ptr<watched_placement>
placement_of(libpool::chosen<libpool::placement> placement) {
  auto* estimates = placement.options_as<libpool::estimate_options>();
  return std::make_unique<watched_placement>(
    placement.make(),
    estimates == nullptr ? nullptr : model_of(placement.name(), *estimates));
}

} // namespace

libpool::throttles decoded_throttles(std::size_t bits, bool has_rates) {
  using libpool::throttle;
  auto rate_of = [&](double per_unit, std::size_t burst,
                     bool counts_retries = false) {
    constexpr auto units_per_second = 1e8;
    return has_rates ? std::optional{libpool::rate{per_unit * units_per_second,
                                                   burst, counts_retries}}
                     : std::nullopt;
  };
  const std::array<throttle, 4> of_all{throttle{}, throttle{2, {}},
                                       throttle{3, rate_of(1, 2)},
                                       throttle{{}, rate_of(0.5, 3, true)}};
  const std::array<throttle, 4> of_flow{throttle{}, throttle{1, {}},
                                        throttle{{}, rate_of(0.3, 1)},
                                        throttle{2, rate_of(1, 1, true)}};
  libpool::throttles result;
  result.of_all = of_all[bits % 4];
  result.of_each_flow = of_flow[bits / 4 % 4];
  if ((bits & 16U) != 0)
    result.of_flows["1"] = of_flow[bits / 32 % 4];
  if ((bits & 128U) != 0)
    result.of_flows["2"] = throttle{0, {}};
  return result;
}

namespace {

libpool::lease_bounds decoded_leases(std::size_t bits) {
  constexpr std::array<std::size_t, 4> most{2, 3, 5, 64};
  constexpr std::array<std::size_t, 4> longest{2, 5, 20, 20};
  constexpr std::array<std::size_t, 4> overdue{1, 6, 30, 1000};
  return {most[bits / 2 % 4], time_units(longest[bits / 8 % 4]),
          time_units(overdue[bits / 32 % 4])};
}

} // namespace

settings decoded_settings(const coded_settings& bytes) {
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
  if ((bytes[1] & 16U) != 0)
    result.within.time_limit = time_units(6);
  result.within.drop_hopeless = (bytes[1] & 32U) != 0;
  for (std::size_t i = 0; i < result.workers; ++i) {
    result.windows[i] = 1U + (std::size_t{bytes[2]} >> (2 * i)) % 4U % 3U;
    result.seats[i] = 1U + (std::size_t{bytes[6]} >> (2 * i)) % 4U % 3U;
  }
  result.joined = (bytes[3] + 1U) % (result.workers + 1);
  result.end = bytes[3] / 8U % 4U;
  result.weighs = (bytes[3] & 128U) != 0;
  decode_policies(result, bytes[4]);
  decode_flows(result, bytes[5]);
  if ((bytes[7] & 1U) != 0)
    result.within.throttles =
      decoded_throttles(bytes[7] / 2U * 2U + (bytes[7] / 4U & 1U),
                        result.when == assignment::lazy);
  result.by_deadline = result.by_priority && (bytes[7] & 64U) != 0;
  if ((bytes[7] & 2U) != 0)
    result.within.backoff = libpool::retry_backoff{time_units(3), 2,
                                                   time_units(20), 2};
  if ((bytes[7] & 8U) != 0)
    result.within.budget = libpool::retry_budget{0.5, bytes[7] / 16U % 2U};
  if ((bytes[8] & 1U) != 0)
    result.within.leases = decoded_leases(bytes[8]);
  result.keeps_keys = result.keeps_keys && result.within.throttles.is_empty()
                      && !result.within.backoff;
  return result;
}

fact decoded_fact(const coded_fact& bytes) {
  constexpr std::array<std::size_t, 16> pauses{0, 0, 0, 0, 0, 0, 0, 1,
                                               1, 1, 1, 2, 2, 3, 5, 9};
  constexpr std::array<std::size_t, 16> homes{0, 0, 0, 0, 0, 0, 1, 1,
                                              1, 2, 2, 3, 4, 5, 6, 7};
  constexpr std::array<std::size_t, 8> widths{1, 1, 1, 2, 2, 3, 5, 1000};
  fact result{};
  result.is = kinds[bytes[0] % kinds.size()];
  result.dispatches = (bytes[0] >> 5U) % 4U != 3;
  result.urgent = (bytes[0] & 128U) != 0;
  result.pick = bytes[1];
  result.repeatable = (bytes[1] & 16U) == 0;
  result.wild = bytes[1] >= 224;
  result.later = pauses[bytes[2] % pauses.size()];
  result.due_in = bytes[2] / 16U;
  auto where = bytes[3] % 16U;
  result.where = where < 6 ? 0 : where - 5;
  result.home = homes[bytes[3] / 16U];
  result.asks = where == 5 ? 1 + bytes[4] / 4U : 0;
  result.flow = bytes[4] % 8U;
  result.width = widths[bytes[4] / 8U % widths.size()];
  result.level = bytes[4] / 64U;
  result.cost = bytes[5] % 8U;
  result.move = bytes[5] / 8U % 8U;
  result.near = bytes[5] / 64U;
  constexpr std::array<kind, 8> rare{kind::desert, kind::desert, kind::desert,
                                     kind::refuse, kind::refuse, kind::refuse,
                                     kind::close,  kind::abandon};
  if (result.wild && result.is == kind::refuse)
    result.is = rare[result.pick % rare.size()];
  return result;
}

libpool::composition policies_of(const settings& how) {
  auto result = composed(how.when, how.steals);
  result.order = order_of(how);
  result.placement = placement_of(how.placement);
  if (how.is_stealing_watched())
    result.stealing = std::make_unique<watched_stealing>(
      libpool::cost_aware_options{0.5, time_units(2)});
  return result;
}

std::string_view name_of(kind is) {
  return names[static_cast<std::size_t>(is)];
}

} // namespace test
