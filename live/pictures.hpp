/// Answers to requests that concern one pool.

#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/live/watched.hpp"

#include <httplib.h>

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace libpool::live {

/// Returns the time in ?seconds=, or 10 s without it. If the value is invalid,
/// answers with an error and returns nothing.
std::optional<duration> asked_time(const httplib::Request& of,
                                   httplib::Response& to);

/// Return functions that write the runs of the pool in the time `last`.
std::function<void(std::ostream&)> trace_of(const watched_pool& pool,
                                            duration last);
std::function<void(std::ostream&)> gantt_of(const watched_pool& pool,
                                            duration last);

/// A requested change of a pool.
struct order {
  enum kind { none, drain, resize };

  kind what = none;
  std::string pool;
};

/// Returns the order in a path such as NAME/drain or NAME/resize.
order order_in(std::string_view path);

void carry_out(const order& order, const watched_pool& pool,
               const httplib::Request& of, httplib::Response& to);

} // namespace libpool::live
