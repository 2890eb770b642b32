#pragma once

#include "history.hpp"
#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pooltop {

// Parts of the screen above the tables. Each part takes as many lines as the
// width requires.

/// Returns the names of the pools, with a mark at the chosen one.
std::vector<line> chooser(const snapshot& of, const pool* chosen,
                          std::size_t width);

/// Returns the state of the pool in a few numbers.
std::vector<line> facts(const pool& of, std::size_t width);

/// Returns the problems of the pool and of pipelines, in at most `most` lines.
std::vector<line> matters(const snapshot& of, const pool* chosen,
                          std::size_t width, std::size_t most);

/// Returns the waiting and the completed tasks of the last minute.
std::vector<line> courses(const past& of, std::size_t width,
                          const symbols& with);

/// Returns the waiting times and the service times of tasks.
std::vector<line> latencies(const pool& of, std::size_t width);

/// Returns the counts since the start.
std::vector<line> totals(const pool& of, std::size_t width);

/// Returns the reasons why tasks were refused and failed.
std::vector<line> why(const pool& of, std::size_t width);

/// Returns each pipeline, in one cut line or in several lines.
std::vector<line> pipelines(const snapshot& of, std::size_t width,
                            const symbols& with);

} // namespace pooltop
