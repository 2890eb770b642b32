#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Returns a `caf::error` of the category "libpool" with the code `code`. The
/// context of the error is a text that states the meaning of the code. CAF
/// finds this function, so `err == errc::no_workers` and `return
/// errc::no_workers;` work as with codes of CAF.
LIBPOOL_EXPORT caf::error make_error(errc code);

/// Returns a `caf::error` of the category "libpool" with the code `code` and
/// the text `context`.
LIBPOOL_EXPORT caf::error make_error(errc code, std::string context);

/// Returns a `caf::error` of the category "libpool" that contains the errors in
/// `because`, for example one error for each worker. `errors_in` returns these
/// errors.
LIBPOOL_EXPORT caf::error make_error(errc code, std::string context,
                                     std::vector<caf::error> because);

/// Returns the error as text. The text of an error of libpool is "libpool: ",
/// the meaning of the code, and the context. The context names workers of
/// managed pools as in "worker 3 (squarer)", where 3 is the number in the pool,
/// and other actors as in "actor 5 (squarer)", where 5 is the actor id. CAF
/// renders all other errors.
LIBPOOL_EXPORT std::string render(const caf::error& error,
                                  const caf::actor_system& system);

/// Whether `error` reports that a worker of a managed pool has crashed: the
/// code is `errc::worker_crashed`, `errc::retries_exhausted` or
/// `errc::poisoned`.
///
/// Errors of CAF do not count, because handlers, and actors that ended without
/// a crash, also answer with such errors. If a handler throws, a managed pool
/// answers the request with one of the three codes. If the worker's exception
/// handler returns an error other than `caf::sec::runtime_error`, however, the
/// client gets this error, which does not count.
LIBPOOL_EXPORT bool is_crash(const caf::error& error);

/// Returns the time after which it makes sense to send the message again: the
/// time that the error names in its context, which is a text and a
/// `caf::timespan`. Unset if the error names no time.
///
/// Managed pools name a time if they refuse a message because too many messages
/// wait (`errc::queue_full`, `errc::flow_full`): the estimated time until the
/// messages that wait then have gone to workers, with the limits that apply and
/// the mean service time since the pool was made. They name none if the pool or
/// the flow is paused, or may have no messages at workers; and if neither a
/// rate nor a service time is known.
///
/// A worker names the time of a service that it calls in the same way:
/// `caf::make_error(caf::sec::runtime_error, text, caf::timespan{time})`. The
/// option `managed_options::retry_on` can use the time.
LIBPOOL_EXPORT std::optional<duration> retry_after(const caf::error& error);

/// Returns the errors of the workers if `error` is a combined error, which
/// contains one error for each worker. Otherwise returns `error` itself. The
/// result is empty if `error` is not set.
LIBPOOL_EXPORT std::vector<caf::error> errors_in(const caf::error& error);

} // namespace libpool
