/// The addresses that ask for something about one pool.

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

/// The time that ?seconds= says, 10 s without that; none if it says nonsense,
/// which is answered.
std::optional<duration> asked_time(const httplib::Request& of,
                                   httplib::Response& to);

/// Write the last so many seconds of the pool.
std::function<void(std::ostream&)> trace_of(const watched_pool& pool,
                                            duration last);
std::function<void(std::ostream&)> gantt_of(const watched_pool& pool,
                                            duration last);

/// What somebody wants of a pool.
struct order {
  enum kind { none, drain, resize };

  kind what = none;
  std::string pool;
};

/// From NAME/drain or NAME/resize.
order order_in(std::string_view path);

void carry_out(const order& order, const watched_pool& pool,
               const httplib::Request& of, httplib::Response& to);

} // namespace libpool::live
