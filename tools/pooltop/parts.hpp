#pragma once

#include "history.hpp"
#include "line.hpp"
#include "model.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace pooltop {

// What is above the tables, part by part, in as many lines as the width takes.

/// The names of the pools; the chosen one is marked.
std::vector<line> chooser(const snapshot& of, const pool* chosen,
                          std::size_t width);

/// The state of the pool in a few numbers.
std::vector<line> facts(const pool& of, std::size_t width);

/// What is the matter with the pool and with pipelines: so many lines at most.
std::vector<line> matters(const snapshot& of, const pool* chosen,
                          std::size_t width, std::size_t most);

/// The last minute of waiting and completed tasks.
std::vector<line> courses(const past& of, std::size_t width,
                          const symbols& with);

/// How long tasks wait and run.
std::vector<line> latencies(const pool& of, std::size_t width);

/// What has happened since the start.
std::vector<line> totals(const pool& of, std::size_t width);

/// Why tasks were refused, and have failed.
std::vector<line> why(const pool& of, std::size_t width);

/// Each pipeline: a line that is cut, or as many as it takes.
std::vector<line> pipelines(const snapshot& of, std::size_t width,
                            const symbols& with);

} // namespace pooltop
