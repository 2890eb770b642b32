/// Features of pools, two by two: laws that hold for all of them.
///
///     test_products                          all pairs
///     test_products --pair=urgent,await [--seed=7]
///     test_products --triples=SECONDS [--seed=7] [--with=urgent,await]
///
/// `--pair` takes any number of features; with `--here` they are looked at in
/// this process, for a debugger. `--with` are features of all combinations,
/// besides the three that are drawn.

#define DOCTEST_CONFIG_IMPLEMENT
#include "scenario.hpp"
#include "support/port/ways.hpp"
#include "support/soak.hpp"

#include <doctest/doctest.h>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <utility>

namespace {

using namespace products;

// -- in a process of its own --------------------------------------------------

/// The violations of one seed.
struct finding {
  std::uint64_t seed = 0;
  std::vector<std::string> violations;
};

/// Ends this process if it works for longer than any scenario needs, or waits.
/// Exceptions, of which failing factories throw many, are slow in sanitizers.
void limit_time() {
  const unsigned most_work = test::sanitized() ? 120 : 30; // seconds
  const auto most_waiting = 4 * most_work;
  ::alarm(most_waiting);
  itimerval timer{};
  timer.it_value.tv_sec = most_work;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Combination of features, and the seeds that it runs with.
struct trial {
  combination all;
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;
};

/// Writes a line for each trial and each seed that begins, and one for each
/// violation.
[[noreturn]] void tell_all(const std::vector<trial>& trials, int pipe) {
  auto* out = ::fdopen(pipe, "w");
  for (const auto& [all, first, seeds] : trials) {
    std::fprintf(out, "t\n");
    for (auto seed = first; seed != first + seeds; ++seed) {
      limit_time();
      std::fprintf(out, "s%llu\n", static_cast<unsigned long long>(seed));
      std::fflush(out);
      try {
        for (const auto& each : violations_of(all, seed))
          std::fprintf(out, "v%s\n", each.c_str());
      } catch (const std::exception& e) {
        std::fprintf(out, "vthrows: %s\n", e.what());
      }
      std::fflush(out);
    }
  }
  ::_exit(0);
}

std::string read_all(int from) {
  std::string result;
  std::array<char, 4096> buffer{};
  for (;;) {
    auto n = ::read(from, buffer.data(), buffer.size());
    if (n <= 0)
      return result;
    result.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string description_of(int status) {
  auto by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return by == SIGALRM || by == SIGPROF
           ? "it never ends"
           : "the process ends with status " + std::to_string(status);
}

/// Runs the trials in a process of their own, so that one that crashes or never
/// ends is a finding like any other. Returns the findings of each trial that
/// has begun, at least one.
std::vector<std::vector<finding>>
findings_in_process(const std::vector<trial>& trials) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    throw std::runtime_error("no pipe");
  auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    tell_all(trials, ends[1]);
  }
  ::close(ends[1]);
  std::istringstream told{read_all(ends[0])};
  ::close(ends[0]);
  auto status = 0;
  ::waitpid(child, &status, 0);
  std::vector<std::vector<finding>> result;
  for (std::string line; std::getline(told, line);)
    if (line[0] == 't')
      result.emplace_back();
    else if (line[0] == 's')
      result.back().push_back({std::stoull(line.substr(1)), {}});
    else if (!result.back().empty())
      result.back().back().violations.push_back(line.substr(1));
  if (status != 0) {
    if (result.empty())
      result.emplace_back();
    if (result.back().empty())
      result.back().push_back({trials[result.size() - 1].first, {}});
    result.back().back().violations.push_back(description_of(status));
  }
  return result;
}

/// To start a process takes longer than most trials.
constexpr std::size_t most_in_process = 32;

/// Returns the findings of each trial. After one that crashes, the next process
/// goes on with the others.
std::vector<std::vector<finding>> findings_of(std::vector<trial> trials) {
  std::vector<std::vector<finding>> result;
  while (!trials.empty()) {
    auto n = std::min(trials.size(), most_in_process);
    auto end = trials.begin() + static_cast<std::ptrdiff_t>(n);
    auto found = findings_in_process({trials.begin(), end});
    end = trials.begin() + static_cast<std::ptrdiff_t>(found.size());
    std::move(found.begin(), found.end(), std::back_inserter(result));
    trials.erase(trials.begin(), end);
  }
  return result;
}

std::vector<finding> findings_of(const combination& all, std::uint64_t first,
                                 std::uint64_t seeds) {
  return findings_of({trial{all, first, seeds}}).front();
}

// -- combinations -------------------------------------------------------------

/// Six seeds draw all that features leave open, see `fill_in`.
constexpr std::uint64_t all_draws = 6;

/// Number of seeds for a combination. Combinations of several features have
/// some of the draws each, and together all of them. With sanitizers, which are
/// slow, there is one seed, unless the test soaks.
std::uint64_t seeds_for(std::size_t features) {
  if (test::soaks())
    return 2 * all_draws;
  if (test::sanitized())
    return 1;
  return features > 1 ? 2 : all_draws;
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

void check(const std::vector<combination>& all) {
  std::vector<trial> trials;
  trials.reserve(all.size());
  for (const auto& each : all)
    trials.push_back(
      {each, 1 + trials.size() % all_draws, seeds_for(each.size())});
  auto found = findings_of(std::move(trials));
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto wrong = told(all[i], found[i]);
    INFO(wrong);
    CHECK(wrong.empty());
  }
}

/// The value of `--name=value`, "yes" for `--name`, empty otherwise.
std::string argument(int argc, char** argv, const std::string& name) {
  for (auto i = 1; i < argc; ++i) {
    std::string each = argv[i];
    if (each == "--" + name)
      return "yes";
    if (each.rfind("--" + name + "=", 0) == 0)
      return each.substr(name.size() + 3);
  }
  return {};
}

int run_one(const std::string& names, std::uint64_t seed, bool here) {
  auto all = named(names);
  if (auto why = against(all); !why.empty())
    throw std::invalid_argument(names + ": " + why);
  auto first = seed != 0 ? seed : 1;
  std::vector<finding> by;
  if (here)
    by.push_back({first, violations_of(all, first)});
  else
    by = findings_of(all, first, seed != 0 ? 1 : all_draws);
  auto wrong = told(all, by);
  std::cout << (wrong.empty() ? "all laws hold\n" : wrong);
  return wrong.empty() ? 0 : 1;
}

/// Draws features, three at a time, that go with all of `fixed`. Returns
/// whether one of the combinations failed.
int run_triples(int seconds, std::uint64_t seed, const combination& fixed) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds{seconds};
  std::size_t failed = 0;
  std::size_t runs = 0;
  seed = seed != 0 ? seed : std::random_device{}();
  while (std::chrono::steady_clock::now() < end) {
    std::vector<trial> drawn;
    for (; drawn.size() < most_in_process; ++seed) {
      std::mt19937_64 draw{seed};
      auto all = fixed;
      for (auto i = 0; i < 3; ++i)
        all.push_back(&features()[draw() % features().size()]);
      if (against(all).empty())
        drawn.push_back({all, seed, 1});
    }
    auto found = findings_of(drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      auto wrong = told(drawn[i].all, found[i]);
      std::cout << wrong << std::flush;
      failed += wrong.empty() ? 0U : 1U;
    }
    runs += drawn.size();
  }
  std::cout << runs << " combinations, " << failed << " of them failed\n";
  return failed == 0 ? 0 : 1;
}

} // namespace

TEST_CASE("pools with each single feature keep the general invariants") {
  std::vector<combination> all{{}};
  for (const auto& each : features())
    if (against({&each}).empty())
      all.push_back({&each});
  check(all);
}

TEST_CASE("pools with any two features keep the general invariants") {
  const auto& each = features();
  std::vector<combination> all;
  for (std::size_t i = 0; i < each.size(); ++i)
    for (auto j = i + 1 + i % one_of_pairs(); j < each.size();
         j += one_of_pairs())
      if (combination pair{&each[i], &each[j]}; against(pair).empty())
        all.push_back(pair);
  check(all);
}

// Fair queuing alone is one of messages of several widths, which have no
// leases.
TEST_CASE("pools with fair_queuing and leases keep the general invariants "
          "together with each other feature") {
  const auto& fair = feature_named("fair_queuing");
  const auto& leased = feature_named("leased");
  std::vector<combination> all;
  for (const auto& each : features())
    if (combination three{&fair, &leased, &each};
        &each != &fair && &each != &leased && against(three).empty())
      all.push_back(three);
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
        {"durable,delete_all,retry,throw", 29U},
        {"ask_own_pool,retry_errors,exit_normal,resize_down", 102U},
        {"ask_own_pool,time_limit,rated,forged_response", 968U},
        {"ask_own_pool,restricted,consistent_hash,typed", 12738U},
        {"ask_own_pool,restarts,capped,fair_queuing", 113514U},
        {"distributed,consistent_hash,slow,cancel_all,await", 904321U},
        {"distributed,await,quit,retry_errors", 24528U},
        {"three_deep,deaf_companion,autoscaled", 1130308742U},
        {"drop_oldest,deaf_companion,scaled_to_none", 2366676581U},
        {"change_values,resize_down,waits_when_empty,delete_worker",
         1130302111U},
        {"change_values,pool_normal,retry_budget,unknown_atoms", 48803639U},
        {"delete_all,drop,retry_errors", 1622080001U},
        {"shed_flows,exit_error,never_look", 1622086793U},
        {"autoscaled,scaled_to_none,throw,restricted", 3941339352U},
        {"scaled_to_none,stuck,kill,restricted", 3227419865U},
        {"autoscaled,broadcast_all,deaf_companion,power_of_two_choices",
         3941338163U},
        {"scaled_to_none,pipelines_in_pools,delete_worker,promise",
         3227430255U},
        {"durable,split_join,pool_shutdown", 9U},
        {"change_values,failing_split,deaf_companion,distributed",
         792940242U}}) {
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
    auto value = [&](const char* name) { return argument(argc, argv, name); };
    auto seed = value("seed").empty() ? 0 : std::stoull(value("seed"));
    if (auto names = value("pair"); !names.empty())
      return run_one(names, seed, !value("here").empty());
    if (auto seconds = value("triples"); !seconds.empty())
      return run_triples(std::stoi(seconds), seed, named(value("with")));
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 2;
  }
  return doctest::Context{argc, argv}.run();
}
