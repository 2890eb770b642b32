#pragma once

namespace libpool {

/// Name in CAF's registry of the client of all requests of threads.
inline constexpr auto name_of_threads = "lp_threads";

} // namespace libpool
