#pragma once

#include "libpool/core/errc.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace libpool {

/// Returns a `caf::error` of the category "libpool" with the meaning of `code`
/// as its context. CAF finds this function, so `err == errc::no_workers` and
/// `return errc::no_workers;` work as with CAF's own codes.
caf::error make_error(errc code);

/// Returns an error with `context` in place of the meaning of `code`.
caf::error make_error(errc code, std::string context);

/// Returns an error that carries other errors, see `errors_in`.
caf::error make_error(errc code, std::string context,
                      std::vector<caf::error> because);

/// Returns the error in words. An error of libpool reads "libpool: ", then the
/// meaning of the code and the context. The context names workers of managed
/// pools like "worker 3 (squarer)", where 3 is the number in the pool, and
/// other actors like "actor 5 (squarer)", where 5 is the id in CAF. Other
/// errors are rendered by CAF.
std::string render(const caf::error& error, const caf::actor_system& system);

/// Whether `error` comes from a pool and reports a crash of a worker: its code
/// is `errc::worker_crashed`, `errc::retries_exhausted` or `errc::poisoned`.
/// False for CAF's own errors, because handlers, and actors that ended without
/// a crash, answer with CAF's errors as well. If a handler throws, a managed
/// pool answers the request with one of these three codes, unless the worker's
/// exception handler returns an error other than `caf::sec::runtime_error`:
/// then the client gets that error.
bool is_crash(const caf::error& error);

/// Returns each worker's error in a combined error; otherwise the error itself.
/// Empty if `error` is not set.
std::vector<caf::error> errors_in(const caf::error& error);

} // namespace libpool
