#pragma once

#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"
#include "support/witness_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// How many bytes say what the pool is like, and how many stand for one fact.
constexpr std::size_t setting_bytes = 9;
constexpr std::size_t fact_bytes = 6;

using coded_settings = std::array<std::uint8_t, setting_bytes>;
using coded_fact = std::array<std::uint8_t, fact_bytes>;

constexpr std::size_t most_workers = 9;

/// So many units of time: so short that plain models can count them.
template <class Number>
constexpr libpool::duration time_units(Number count) {
  return libpool::duration{10 * static_cast<libpool::duration::rep>(count)};
}

/// A pool, and the tasks and workers that it may have.
struct settings : makeup {
  std::size_t tasks = 16;
  std::size_t workers = 4;
  libpool::chosen<libpool::placement> placement = "least_used";
  bool weighs = false;
  std::array<std::size_t, most_workers> windows{1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::array<std::size_t, most_workers> seats{1, 1, 1, 1, 1, 1, 1, 1, 1};
  /// Where the order goes by flows, and when its virtual clock starts.
  libpool::fair_queuing_options flows;
  libpool::virtual_time start{};
  /// Whether few moves are worth it, so that many tasks may have to be looked
  /// at.
  bool moves_are_dear = false;
  std::size_t joined = 0;
  /// How it is driven to its end.
  unsigned end = 0;
};

struct fact_outcome {
  /// The law that was broken, and what led there; empty if none was.
  std::string broken;
  /// Which tasks were sent to which workers, by number.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sends;
  std::uint64_t completed = 0;
  std::uint64_t steals = 0;
  /// How often the next tick was a doubling of what a task is taken to cost.
  std::size_t doublings = 0;
};

/// Tells a dispatcher the facts, drives it to its end, and checks after each
/// fact what holds for every dispatcher, and for its policies: they do what
/// their models do, where they have models. Equal facts, equal lives.
fact_outcome live_through(const settings& how,
                          const std::vector<coded_fact>& facts);

/// The same with settings and facts that `bytes` stand for, whatever they are.
/// Returns the law that was broken.
std::string broken_law_in(const std::vector<std::uint8_t>& bytes);

/// A fact that is possible when it is told; few tasks have a deadline.
coded_fact likely(coded_fact fact);

std::vector<coded_fact> random_facts(std::uint64_t seed, std::size_t count);
std::vector<coded_fact> likely_facts(std::uint64_t seed, std::size_t count);

} // namespace test
