/// Answers to requests that concern one pool.

#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/watched.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace libpool::live {

/// Returns the whole number in `text`, from 1 to `most`; unset if there is
/// none.
std::optional<std::uint64_t> number_in(const std::string& text,
                                       std::uint64_t most);

/// Returns the time in ?seconds=, or 10 s without it. If the value is invalid,
/// answers with an error and returns nothing.
std::optional<duration> asked_time(const request& request, reply& reply);

/// Return the runs of the pool in the time `last`, as JSON and as SVG.
std::string trace_of(const watched_pool& pool, duration last);
std::string gantt_of(const watched_pool& pool, duration last);

} // namespace libpool::live
