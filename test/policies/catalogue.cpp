#include "libpool/policies/catalogue.hpp"
#include "libpool/core/composition.hpp"

#include "support/complaint.hpp"
#include "support/giving_options.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
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
         || how.name == "fair_queuing";
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
  CHECK(listed(libpool::orders()) == "fifo, priority, fair_queuing");
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
          "assignment, eager or lazy, and a window of 2 if nothing moves") {
  for (const auto& each : libpool::managed_policies()) {
    CAPTURE(std::string{each.name});
    auto made = libpool::compose(each);
    CHECK(made.order != nullptr);
    CHECK(made.placement != nullptr);
    auto when = is_lazy(each) ? assignment::lazy : assignment::eager;
    CHECK(libpool::assignment_of(each) == when);
    CHECK(made.assignment == when);
    auto steals = each.stealing.has_value();
    CHECK(libpool::default_window(each, 1)
          == (is_lazy(each) || steals ? 1 : 2));
    CHECK(libpool::default_window(each, 2) == 2);
    CHECK(libpool::default_window(each, 5) == 5);
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
