/// The catalogue of policies, their recipes, and the options of their parts.

#include "libpool/policies/catalogue.hpp"
#include "libpool/core/composition.hpp"
#include "libpool/policies/order/priority.hpp"
#include "libpool/policies/placement/consistent_hash.hpp"
#include "libpool/policies/placement/fair_share.hpp"
#include "libpool/policies/placement/join_shortest_estimated_queue.hpp"
#include "libpool/policies/placement/peak_ewma.hpp"
#include "libpool/policies/stealing/cost_aware_stealing.hpp"
#include "support/complaint.hpp"
#include "support/giving_options.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

std::vector<libpool::policy_entry> all_policies() {
  auto result = libpool::direct_policies();
  for (const auto& entry : libpool::managed_policies())
    result.push_back(entry);
  for (const auto& entry : libpool::gathering_policies())
    result.push_back(entry);
  return result;
}

} // namespace

TEST_CASE("each policy has a summary and a unique name of lower-case letters "
          "and underscores, by which it is found") {
  std::set<std::string_view> names;
  for (const auto& entry : all_policies()) {
    CAPTURE(std::string{entry.name});
    CHECK_FALSE(entry.name.empty());
    CHECK(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")
          == std::string_view::npos);
    CHECK_FALSE(entry.summary.empty());
    CHECK(names.insert(entry.name).second);
  }
  CHECK_FALSE(names.empty());
  for (const auto& each : libpool::orders())
    CHECK(&libpool::order_named(each.name) == &each);
  for (const auto& each : libpool::placements())
    CHECK(&libpool::placement_named(each.name) == &each);
  for (const auto& each : libpool::managed_policies())
    CHECK(&libpool::managed_policy_named(each.name) == &each);
  CHECK(&libpool::direct_policies() == &libpool::direct_policies());
}

// -- recipes ------------------------------------------------------------------

namespace {

using libpool::assignment;
using libpool::recipe;

recipe made_of(std::string_view order, std::string_view placement,
               std::optional<assignment> when = std::nullopt) {
  recipe result;
  result.order = order;
  result.placement = placement;
  result.assignment = when;
  return result;
}

/// The error about the recipe; empty if it is fine.
std::string complaint(std::string_view order, std::string_view placement,
                      std::optional<assignment> when = std::nullopt) {
  return test::complaint(
    [&] { libpool::compose(made_of(order, placement, when)); });
}

bool is_lazy(const recipe& how) {
  return how.name == "shared_queue" || how.name == "priority"
         || how.name == "earliest_deadline" || how.name == "fair_queuing";
}

template <class Entry>
std::string listed(const std::vector<Entry>& all) {
  std::string result;
  for (const auto& each : all)
    result += (result.empty() ? "" : ", ") + std::string{each.name};
  return result;
}

} // namespace

TEST_CASE("the catalogue lists all orders, placements and stealing policies") {
  CHECK(listed(libpool::orders())
        == "fifo, priority, earliest_deadline, fair_queuing");
  CHECK(listed(libpool::placements())
        == "round_robin, random, least_used, least_busy, power_of_two_choices, "
           "join_shortest_estimated_queue, "
           "fair_share, weighted_round_robin, "
           "interleaved_weighted_round_robin, peak_ewma, consistent_hash");
  CHECK(listed(libpool::stealings()) == "cost_aware");
}

TEST_CASE("the error for an unknown name lists all known names") {
  auto orders = "libpool: order: unknown order 'lifo', choose from: "
                + listed(libpool::orders());
  CHECK(test::complaint([] { libpool::order_named("lifo"); }) == orders);
  CHECK(complaint("lifo", "random") == orders);
  CHECK(complaint("fifo", "none")
        == "libpool: placement: unknown placement 'none', choose from: "
             + listed(libpool::placements()));
  CHECK(test::complaint([] { libpool::managed_policy_named("Random"); })
        == "libpool: policy: unknown policy 'Random', choose from: "
             + listed(libpool::managed_policies()));
}

TEST_CASE("every managed policy can be composed of its parts, with its "
          "assignment, eager or lazy") {
  for (const auto& each : libpool::managed_policies()) {
    CAPTURE(std::string{each.name});
    auto made = libpool::compose(each);
    CHECK(made.order != nullptr);
    CHECK(made.placement != nullptr);
    auto when = is_lazy(each) ? assignment::lazy : assignment::eager;
    CHECK(libpool::assignment_of(each) == when);
    CHECK(made.assignment == when);
  }
}

TEST_CASE("an order and a placement can be combined if both accept the given "
          "assignment, eager or lazy") {
  for (const auto& order : libpool::orders())
    for (const auto& placement : libpool::placements())
      for (auto when : {assignment::eager, assignment::lazy}) {
        CAPTURE(std::string{order.name});
        CAPTURE(std::string{placement.name});
        auto suits = order.needs.value_or(when) == when
                     && placement.needs.value_or(when) == when;
        CHECK(complaint(order.name, placement.name, when).empty() == suits);
      }
}

TEST_CASE("the error for a wrong assignment, eager or lazy, names the part of "
          "the policy that requires the other one") {
  CHECK(complaint("priority", "random", assignment::eager)
        == "libpool: assignment: priority requires lazy assignment, got eager");
  CHECK(complaint("fifo", "consistent_hash", assignment::lazy)
        == "libpool: assignment: consistent_hash requires eager assignment, "
           "got lazy");
  CHECK(complaint("priority", "consistent_hash")
        == "libpool: assignment: consistent_hash requires eager assignment, "
           "got lazy");
}

TEST_CASE("a policy has the assignment that its recipe states, otherwise the "
          "one that its parts require, otherwise eager") {
  CHECK(libpool::assignment_of(made_of("fifo", "random")) == assignment::eager);
  CHECK(libpool::assignment_of(made_of("fifo", "random", assignment::lazy))
        == assignment::lazy);
  CHECK(libpool::assignment_of(made_of("priority", "random"))
        == assignment::lazy);
  CHECK(libpool::assignment_of(made_of("fifo", "consistent_hash"))
        == assignment::eager);
}

TEST_CASE("for tasks without homes, lazy assignment replaces stealing if the "
          "placement allows leases of several messages") {
  for (const auto& each : libpool::managed_policies()) {
    CAPTURE(std::string{each.name});
    auto how = libpool::without_homes(each);
    auto is_bound_later = each.name == "work_stealing";
    CHECK(how.stealing.has_value()
          == (each.stealing.has_value() && !is_bound_later));
    CHECK(
      libpool::assignment_of(how)
      == (is_bound_later ? assignment::lazy : libpool::assignment_of(each)));
    CHECK(how.order.name() == each.order.name());
    CHECK(how.placement.name() == each.placement.name());
    CHECK_NOTHROW(libpool::compose(how));
  }
  for (const auto& each : libpool::placements()) {
    CAPTURE(std::string{each.name});
    auto how = made_of("fifo", each.name, assignment::eager);
    how.stealing = libpool::chosen<libpool::stealing>{"cost_aware"};
    auto minds = !each.make({})->lets_workers_go_on();
    CHECK(libpool::without_homes(how).stealing.has_value() == minds);
  }
}

TEST_CASE("a placement with the option 'measure' measures what the value of "
          "this option states") {
  for (const auto& each : libpool::placements()) {
    CAPTURE(std::string{each.name});
    libpool::chosen<libpool::placement> part{each.name};
    auto takes_measure = test::give(part, "measure",
                                    std::string_view{"wait_time"});
    auto measures = part.make()->measures();
    CHECK((measures == libpool::measure::wait_time) == takes_measure);
  }
}

using libpool::cost_aware_stealing;
using libpool::estimate_options;
using libpool::peak_ewma_options;
using libpool::priority;
using namespace std::chrono_literals;

namespace {

/// The error about a policy with the defaults but for the change of one option;
/// empty if the value is accepted.
template <class Policy, class Options, class Value>
std::string refusal(Value Options::*option, std::common_type_t<Value> value) {
  Options options;
  options.*option = value;
  return test::complaint([&] { Policy{options}; });
}

/// Calls it with each order, placement and stealing of the catalogue.
template <class F>
void for_each_part(F f) {
  for (const auto& each : libpool::orders())
    f(libpool::chosen<libpool::order>{each.name});
  for (const auto& each : libpool::placements())
    f(libpool::chosen<libpool::placement>{each.name});
  for (const auto& each : libpool::stealings())
    f(libpool::chosen<libpool::stealing>{each.name});
}

} // namespace

TEST_CASE("each option of a policy has a unique name, a meaning and a default "
          "that is within its bounds") {
  for_each_part([](auto part) {
    CAPTURE(std::string{part.name()});
    std::set<std::string_view> names;
    for (const auto& option : part.options()) {
      CAPTURE(std::string{option.name});
      CHECK_NOTHROW(libpool::check(option));
      CHECK(names.insert(option.name).second);
      CHECK_FALSE(option.meaning.empty());
      // A value is there, or it is said what it means that there is none.
      CHECK(text_of(option.value).empty() != option.if_none.empty());
    }
    CHECK(part.make() != nullptr);
  });
}

TEST_CASE("a policy accepts options at their bounds, and rejects options "
          "outside of their bounds with an error that names the option") {
  using libpool::fair_share;
  using o = estimate_options;
  CHECK(refusal<fair_share>(&o::initial_estimate, 1ns) == "");
  CHECK(refusal<fair_share>(&o::initial_estimate, 0ns)
        == "libpool: initial_estimate: must be above 0, got 0s");
  CHECK(refusal<fair_share>(&o::history, 1) == "");
  CHECK(refusal<fair_share>(&o::history, libpool::most_history) == "");
  CHECK(refusal<fair_share>(&o::history, 0)
        == "libpool: history: must be between 1 and 65536, got 0");
  CHECK(refusal<fair_share>(&o::history, 65'537)
        == "libpool: history: must be between 1 and 65536, got 65537");
  CHECK(refusal<fair_share>(&o::probe_every, 0) == "");
  CHECK(refusal<fair_share>(&o::probe_every, 1'000'000) == "");
  CHECK(refusal<fair_share>(&o::probe_every, 1'000'001)
        == "libpool: probe_every: must be between 0 and 1000000, got 1000001");
  CHECK(refusal<fair_share>(&o::statistic, static_cast<libpool::statistic>(2))
        == "libpool: statistic: must be mean or median, got value 2");
  using libpool::peak_ewma;
  using p = peak_ewma_options;
  CHECK(refusal<peak_ewma>(&p::decay, 1ns) == "");
  CHECK(refusal<peak_ewma>(&p::decay, 0ns)
        == "libpool: decay: must be above 0, got 0s");
  CHECK(refusal<peak_ewma>(&p::floor, 1ns) == "");
  CHECK(refusal<peak_ewma>(&p::floor, 0ns)
        == "libpool: floor: must be above 0, got 0s");
  CHECK(refusal<peak_ewma>(&p::failure_penalty, 0ns) == "");
  CHECK(refusal<peak_ewma>(&p::failure_penalty, -1ns)
        == "libpool: failure_penalty: must be at least 0, got -1ns");
  CHECK(refusal<priority>(&libpool::priority_options::age_step, 0ns)
        == "libpool: age_step: must be above 0, got 0s");
  CHECK(refusal<cost_aware_stealing>(
          &libpool::cost_aware_options::initial_estimate, 0ns)
        == "libpool: initial_estimate: must be above 0, got 0s");
}

TEST_CASE("an option that is a real number is accepted at its bounds, and "
          "rejected outside of its bounds and if it is not a number") {
  constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
  auto balance = [](double value) {
    return refusal<libpool::consistent_hash>(
      &libpool::consistent_hash_options::balance, value);
  };
  CHECK(balance(1.0001) == "");
  CHECK(balance(1) == "libpool: balance: must be above 1, got 1");
  CHECK(balance(not_a_number) == "libpool: balance: must be above 1, got nan");
  auto alpha = [](double value) {
    auto result =
      refusal<cost_aware_stealing>(&libpool::cost_aware_options::alpha, value);
    CHECK(refusal<libpool::join_shortest_estimated_queue>(
            &libpool::shortest_queue_options::alpha, value)
          == result);
    return result;
  };
  const std::string bound =
    "libpool: alpha: must be above 0 and at most 1, got ";
  CHECK(alpha(1) == "");
  CHECK(alpha(0) == bound + "0");
  CHECK(alpha(1.0001) == bound + "1.0001");
  CHECK(alpha(not_a_number) == bound + "nan");
}

TEST_CASE("an option is listed with its name, its value and its bound") {
  estimate_options estimates;
  auto listed = options_in(estimates);
  REQUIRE(listed.size() == 5);
  CHECK(listed[0].name == "history");
  CHECK(text_of(listed[0].value) == "386");
  CHECK(bound_of(listed[0].value) == "between 1 and 65536");
  CHECK(text_of(listed[1].value) == "mean");
  CHECK(bound_of(listed[1].value) == "mean or median");
  CHECK(text_of(listed[3].value) == "");
  CHECK(listed[3].if_none
        == "no estimate: tasks are spread evenly, or by weight");
  CHECK(bound_of(listed[3].value) == "above 0");
  peak_ewma_options peaks;
  auto times = options_in(peaks);
  CHECK(text_of(times[0].value) == "1");
  CHECK(bound_of(times[0].value) == "");
  CHECK(text_of(times[2].value) == "10s");
  CHECK(text_of(times[3].value) == "1us");
  peaks.floor = 1500ns;
  CHECK(text_of(times[3].value) == "1500ns");
  libpool::consistent_hash_options hash;
  CHECK(text_of(options_in(hash)[0].value) == "1.25");
}

TEST_CASE(
  "an option that is set by its description changes the struct of options") {
  libpool::chosen<libpool::placement> part{"least_busy"};
  auto listed = part.options();
  std::get<libpool::count_option>(listed[0].value).value.set(7);
  std::get<libpool::choice_option>(listed[1].value).set(1);
  std::get<libpool::time_option>(listed[3].value).value.set(5ns);
  const auto* options = part.options_as<estimate_options>();
  REQUIRE(options != nullptr);
  CHECK(options->history == 7);
  CHECK(options->statistic == libpool::statistic::median);
  CHECK(options->initial_estimate == 5ns);
}

TEST_CASE("a policy rejects the options of another policy") {
  using placement = libpool::chosen<libpool::placement>;
  CHECK_THROWS_WITH_AS(
    (placement{"peak_ewma", estimate_options{}}),
    "libpool: peak_ewma: the given options belong to another policy",
    std::invalid_argument);
  CHECK_THROWS_AS((placement{"least_used", estimate_options{}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
    libpool::placement_named("peak_ewma").make(estimate_options{}),
    std::invalid_argument);
  placement same{"fair_share", estimate_options{}};
  CHECK(same.options_as<peak_ewma_options>() == nullptr);
}
