#pragma once

#include "support/dispatcher_world.hpp"
#include "support/fact_decoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace test {

/// One fact, and what is to be known of a task that is submitted.
using stealing_fact = std::array<std::uint8_t, 6>;

kind kind_of(const stealing_fact& fact);

/// A line for people, and for those who want to repeat it.
std::string text_of(const stealing_fact& fact);

/// Where tasks may run, and what it costs to move them there.
class stealing_surroundings {
public:
  /// Adds restrictions to the world, which outlives it. Where moves are dear,
  /// tasks have homes, and few are worth moving: as many as there are may have
  /// to be looked at.
  explicit stealing_surroundings(dispatcher_world& in, bool moves_are_dear);

  /// Makes the task what the fact says.
  void describe(libpool::task& task, const stealing_fact& fact);

private:
  void make_dear(libpool::task& one, const stealing_fact& fact);

  dispatcher_world& world_;
  bool moves_are_dear_;
  std::array<std::vector<libpool::duration>, 2> near_;
};

} // namespace test
