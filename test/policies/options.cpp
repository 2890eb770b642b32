/// Options of policies: their bounds, and how they are listed.

#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/consistent_hash.hpp"
#include "libpool/policies/cost_aware_options.hpp"
#include "libpool/policies/estimate_options.hpp"
#include "libpool/policies/peak_ewma.hpp"
#include "libpool/policies/priority.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

using libpool::check_each;
using libpool::consistent_hash_options;
using libpool::cost_aware_options;
using libpool::estimate_options;
using libpool::peak_ewma_options;
using libpool::priority_options;
using namespace std::chrono_literals;

namespace {

constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The defaults but for the change of one option.
template <class Options, class Value>
Options with(Value Options::*option, Value value) {
  Options result;
  result.*option = value;
  return result;
}

template <class Options>
void check_wrong(const Options& options, const std::string& text) {
  CHECK_THROWS_WITH_AS(check_each(options), ("libpool: " + text).c_str(),
                       std::invalid_argument);
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

TEST_CASE("the default options of each policy are within their bounds") {
  for_each_part([](auto part) {
    CAPTURE(std::string{part.name()});
    for (const auto& option : part.options())
      CHECK_NOTHROW(libpool::check(option));
    CHECK(part.make() != nullptr);
  });
}

TEST_CASE("each option of a policy has a unique name and a meaning") {
  for_each_part([](auto part) {
    CAPTURE(std::string{part.name()});
    std::set<std::string_view> names;
    for (const auto& option : part.options()) {
      CAPTURE(std::string{option.name});
      CHECK(names.insert(option.name).second);
      CHECK_FALSE(option.meaning.empty());
      // A value is there, or it is said what it means that there is none.
      CHECK(text_of(option.value).empty() != option.if_none.empty());
    }
  });
}

TEST_CASE(
  "a time option is accepted at its bound, and refused below the bound") {
  using o = estimate_options;
  CHECK_NOTHROW(check_each(with(&o::initial_estimate, {1ns})));
  check_wrong(with(&o::initial_estimate, {0ns}),
              "initial_estimate: must be above 0, got 0s");
  check_wrong(with(&o::initial_estimate, {-1ns}),
              "initial_estimate: must be above 0, got -1ns");
  using p = peak_ewma_options;
  CHECK_NOTHROW(check_each(with(&p::decay, {1ns})));
  CHECK_NOTHROW(check_each(with(&p::floor, {1ns})));
  CHECK_NOTHROW(check_each(with(&p::failure_penalty, {0ns})));
  check_wrong(with(&p::decay, {0ns}), "decay: must be above 0, got 0s");
  check_wrong(with(&p::floor, {0ns}), "floor: must be above 0, got 0s");
  check_wrong(with(&p::failure_penalty, {-1ns}),
              "failure_penalty: must be at least 0, got -1ns");
  check_wrong(priority_options{0ns}, "age_step: must be above 0, got 0s");
  check_wrong(with(&cost_aware_options::initial_estimate, {0ns}),
              "initial_estimate: must be above 0, got 0s");
}

TEST_CASE("an option that is a whole number is accepted at its bounds, and "
          "rejected outside of its bounds") {
  using o = estimate_options;
  CHECK_NOTHROW(check_each(with(&o::history, std::size_t{1})));
  CHECK_NOTHROW(check_each(with(&o::history, libpool::most_history)));
  CHECK_NOTHROW(check_each(with(&o::probe_every, std::size_t{0})));
  CHECK_NOTHROW(check_each(with(&o::probe_every, std::size_t{1'000'000})));
  check_wrong(with(&o::history, std::size_t{0}),
              "history: must be between 1 and 65536, got 0");
  check_wrong(with(&o::history, std::size_t{65'537}),
              "history: must be between 1 and 65536, got 65537");
  check_wrong(with(&o::history, std::size_t{100'000'000}),
              "history: must be between 1 and 65536, got 100000000");
  check_wrong(with(&o::probe_every, std::size_t{1'000'001}),
              "probe_every: must be between 0 and 1000000, got 1000001");
}

TEST_CASE("an option that is a real number is accepted at its bounds, and "
          "rejected outside of its bounds") {
  using o = consistent_hash_options;
  CHECK_NOTHROW(check_each(with(&o::balance, 1.0001)));
  check_wrong(with(&o::balance, 1.0), "balance: must be above 1, got 1");
  check_wrong(with(&o::balance, not_a_number),
              "balance: must be above 1, got nan");
  using c = cost_aware_options;
  CHECK_NOTHROW(check_each(with(&c::alpha, 1.0)));
  auto refused = [](double alpha, const std::string& text) {
    check_wrong(with(&c::alpha, alpha),
                "alpha: must be above 0 and at most 1, got " + text);
  };
  refused(0.0, "0");
  refused(1.0001, "1.0001");
  refused(not_a_number, "nan");
}

TEST_CASE(
  "an option with a value that is not one of the listed names is refused") {
  check_wrong(
    with(&estimate_options::statistic, static_cast<libpool::statistic>(2)),
    "statistic: must be mean or median, got value 2");
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
  CHECK(listed[3].if_none == "no estimate: tasks are spread evenly");
  CHECK(bound_of(listed[3].value) == "above 0");
  peak_ewma_options peaks;
  auto times = options_in(peaks);
  CHECK(text_of(times[0].value) == "1");
  CHECK(bound_of(times[0].value) == "");
  CHECK(text_of(times[2].value) == "10s");
  CHECK(text_of(times[3].value) == "1us");
  peaks.floor = 1500ns;
  CHECK(text_of(times[3].value) == "1500ns");
  consistent_hash_options hash;
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
