#pragma once

#include "libpool/core/errc.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace libpool {

/// Translates `code` to a `caf::error` of the category "libpool", with its
/// meaning as the context. Found by CAF, so that `err == errc::no_workers` and
/// `return errc::no_workers;` work as with CAF's own codes.
caf::error make_error(errc code);

/// Translates `code` with `context` in the place of its meaning.
caf::error make_error(errc code, std::string context);

/// Translates `code` to an error that carries others, see `errors_in`.
caf::error make_error(errc code, std::string context,
                      std::vector<caf::error> because);

/// The error in words. Those of libpool's: "libpool: ", what the code means,
/// and the context, which names workers of managed pools like "worker 3
/// (squarer)", 3 being the number in the pool, and other actors like "actor 5
/// (squarer)", 5 being the id in CAF. Others as CAF puts them.
std::string render(const caf::error& error, const caf::actor_system& system);

/// Whether `error` is a pool's and says that a worker crashed: its code is
/// `errc::worker_crashed`, `errc::retries_exhausted` or `errc::poisoned`. False
/// for CAF's own errors, which handlers and actors that have ended without a
/// crash answer with as well. A managed pool answers a request whose handler
/// throws with an error of its own, unless the worker's exception handler
/// returns another error than `caf::sec::runtime_error`: then the client gets
/// that.
bool is_crash(const caf::error& error);

/// The errors that each of several workers has answered a message with, if
/// the error is an error of all of them; otherwise the error alone, if it is
/// one.
std::vector<caf::error> errors_in(const caf::error& error);

} // namespace libpool
