/// Answers to requests that concern one pool.

#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/live/watched.hpp"

#include <httplib.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace libpool::live {

/// Returns the whole number in `text`, from 1 to `most`; unset if there is
/// none.
std::optional<std::uint64_t> number_in(const std::string& text,
                                       std::uint64_t most);

/// Returns the time in ?seconds=, or 10 s without it. If the value is invalid,
/// answers with an error and returns nothing.
std::optional<duration> asked_time(const httplib::Request& of,
                                   httplib::Response& to);

/// Return functions that write the runs of the pool in the time `last`.
std::function<void(std::ostream&)> trace_of(const watched_pool& pool,
                                            duration last);
std::function<void(std::ostream&)> gantt_of(const watched_pool& pool,
                                            duration last);

} // namespace libpool::live
