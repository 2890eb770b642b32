/// Features of pools, two by two: laws that hold for all of them.
///
///     test_products                          all pairs
///     test_products --pair=urgent,await [--seed=7]
///     test_products --triples=SECONDS [--seed=7]
///
/// `--pair` takes any number of features; with `--here` they are looked at in
/// this process, for a debugger.

#define DOCTEST_CONFIG_IMPLEMENT
#include "isolated.hpp"
#include "scenario.hpp"
#include "support/port/ways.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace products;

/// Six seeds draw all that features leave open, see `fill_in`. Sanitizers take
/// their time: they see a part of the pairs, by one seed, unless they soak.
std::uint64_t seeds() {
  if (test::soaks())
    return 12;
  return test::sanitized() ? 1 : 6;
}

std::size_t one_of_pairs() {
  return test::sanitized() && !test::soaks() ? 3 : 1;
}

combination named(const std::string& names) {
  combination result;
  std::istringstream in{names};
  for (std::string name; std::getline(in, name, ',');)
    result.push_back(&feature_named(name));
  return result;
}

/// The violations, and how to see them again; empty if there are none.
std::string told(const combination& all, const std::vector<finding>& by) {
  std::string result;
  for (const auto& each : by) {
    if (each.violations.empty())
      continue;
    result += "test_products --pair=" + names_of(all)
              + " --seed=" + std::to_string(each.seed) + '\n';
    for (const auto& violation : each.violations)
      result += "  " + violation + '\n';
  }
  return result;
}

void check(const combination& all) {
  auto wrong = told(all, findings_of(all, 1, seeds()));
  INFO(wrong);
  CHECK(wrong.empty());
}

struct arguments {
  std::string pair;
  std::uint64_t seed = 0;
  unsigned triples = 0;
  bool here = false;
};

arguments parse(int argc, char** argv) {
  arguments result;
  for (auto i = 1; i < argc; ++i) {
    std::string_view each = argv[i];
    auto value = [&](std::string_view name) -> const char* {
      return each.substr(0, name.size()) == name ? argv[i] + name.size()
                                                 : nullptr;
    };
    if (const auto* names = value("--pair="))
      result.pair = names;
    else if (const auto* seed = value("--seed="))
      result.seed = std::stoull(seed);
    else if (const auto* seconds = value("--triples="))
      result.triples = static_cast<unsigned>(std::stoul(seconds));
    else if (each == "--here")
      result.here = true;
  }
  return result;
}

int run_one(const arguments& with) {
  auto all = named(with.pair);
  if (auto why = against(all); !why.empty())
    throw std::invalid_argument(with.pair + ": " + why);
  auto first = with.seed != 0 ? with.seed : 1;
  if (with.here) {
    auto wrong = violations_of(all, first);
    for (const auto& each : wrong)
      std::cout << each << '\n';
    return wrong.empty() ? 0 : 1;
  }
  auto wrong = told(all, findings_of(all, first, with.seed != 0 ? 1 : seeds()));
  std::cout << (wrong.empty() ? "all laws hold\n" : wrong);
  return wrong.empty() ? 0 : 1;
}

/// Draws features, three at a time, and returns how many combinations failed.
int run_triples(const arguments& with) {
  auto end = std::chrono::steady_clock::now()
             + std::chrono::seconds{with.triples};
  auto failed = 0;
  auto runs = 0;
  for (auto seed = with.seed != 0 ? with.seed : std::random_device{}();
       std::chrono::steady_clock::now() < end; ++seed) {
    std::mt19937_64 draw{seed};
    combination all;
    for (auto i = 0; i < 3; ++i)
      all.push_back(&features()[draw() % features().size()]);
    if (!against(all).empty())
      continue;
    ++runs;
    auto wrong = told(all, findings_of(all, seed, 1));
    std::cout << wrong << std::flush;
    failed += wrong.empty() ? 0 : 1;
  }
  std::cout << runs << " combinations, " << failed << " of them failed\n";
  return failed == 0 ? 0 : 1;
}

} // namespace

TEST_CASE("pools with each single feature keep the general invariants") {
  check({});
  for (const auto& each : features())
    if (against({&each}).empty())
      check({&each});
}

TEST_CASE("pools with any two features keep the general invariants") {
  const auto& all = features();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (auto j = i + 1 + i % one_of_pairs(); j < all.size();
         j += one_of_pairs())
      if (combination pair{&all[i], &all[j]}; against(pair).empty())
        check(pair);
}

// Fair queuing alone is one of messages of several widths, which have no
// leases.
TEST_CASE("pools with fair_queuing and leases keep the general invariants "
          "together with each other feature") {
  const auto& fair = feature_named("fair_queuing");
  const auto& leased = feature_named("leased");
  for (const auto& each : features())
    if (combination all{&fair, &leased, &each};
        &each != &fair && &each != &leased && against(all).empty())
      check(all);
}

// Found among combinations of three or four; no pair shows them.
TEST_CASE("pools with several features that once broke an invariant keep "
          "the general invariants") {
  for (const auto& [names, seed] :
       {std::pair{"system_ends,quit_failing,failing_factory", 2856999772U},
        {"never_look,resize_down,system_ends", 4786U},
        {"system_ends,never_look,delete_all", 1099U},
        {"failing_factory,quit,system_ends", 348719U},
        {"exit_shutdown,first_success,capacity", 24217U},
        {"never_look,delegate,far_deadline", 15767U},
        {"inner_shutdown,forged_response,retry", 54491U},
        {"delete_item,consistent_hash,deadline", 61511U},
        {"busy_until_answer,inner_kill,blocking", 500741U},
        {"busy_until_answer,quit_failing,restricted", 720605U},
        {"first_success,three_deep,busy_until_answer", 1001307U},
        {"busy_until_answer,leased,first_success", 1099865U},
        {"far_deadline,delete_all,inner_shutdown", 2015303U},
        {"delete_item,split_join,managed_in_managed", 3087522U},
        {"pipelines_in_pools,quit,failing_factory", 1062870U},
        {"promise,kill,hedged", 1230170U},
        {"hedged,quit_failing,skip", 3042104U},
        {"exit_unhandled,skip,hedged", 3058175U},
        {"last_handle,never_look,waits_when_empty", 4U},
        {"restarts,last_handle,never_look", 3802589U},
        {"shared_pipeline,restarts,quit", 3730167U},
        {"inner_kill,shared_pipeline,restarts", 3069823U},
        {"inner_kill,shared_pipeline,restarts", 3186368U},
        {"restarts,shared_pipeline,inner_kill", 3810726U},
        {"deadline,never_look,drain", 6027647U},
        {"resize_up,never_look,three_deep", 11102648U},
        {"circle,deaf_companion,power_of_two_choices", 12178623U},
        {"delete_all,failing_factory,throw", 11228381U},
        {"durable,delete_all,retry,throw", 29U}}) {
    if (!test::companions_are_tracked
        && std::string{names}.find("companion") != std::string::npos)
      continue;
    auto all = named(names);
    auto wrong = told(all, findings_of(all, seed, 1));
    INFO(wrong);
    CHECK(wrong.empty());
  }
}

int main(int argc, char** argv) {
  try {
    auto with = parse(argc, argv);
    if (!with.pair.empty())
      return run_one(with);
    if (with.triples > 0)
      return run_triples(with);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 2;
  }
  return doctest::Context{argc, argv}.run();
}
