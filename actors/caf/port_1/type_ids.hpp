#pragma once

#include "libpool/core/errc.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// First type id of libpool in CAF. If other types use these ids, define
/// another value, which must be the same in the whole program and in libpool
/// itself.
#ifndef LIBPOOL_FIRST_TYPE_ID
#  define LIBPOOL_FIRST_TYPE_ID (::caf::first_custom_type_id + 1000)
#endif

namespace libpool {

struct named_error;
struct parcel;
struct pipeline_stats;
struct pool_stats;
class task_ticket;
struct cancel_counts;
struct pause_scope;
struct selection;

/// List of the errors of several workers, in the context of a combined error.
struct error_list {
  /// Errors of the workers.
  std::vector<caf::error> errors;
};

/// Shows the errors in a list to an inspector of CAF.
template <class Inspector>
bool inspect(Inspector& f, error_list& x) {
  return f.object(x).fields(f.field("errors", x.errors));
}

/// Shows an error code, as a number, to an inspector of CAF.
template <class Inspector>
bool inspect(Inspector& f, errc& x) {
  auto get = [&x] { return static_cast<std::uint8_t>(x); };
  auto set = [&x](std::uint8_t code) {
    x = static_cast<errc>(code);
    return true;
  };
  return f.apply(get, set);
}

} // namespace libpool

CAF_BEGIN_TYPE_ID_BLOCK(libpool, LIBPOOL_FIRST_TYPE_ID)

CAF_ADD_TYPE_ID(libpool, (libpool::errc))
CAF_ADD_TYPE_ID(libpool, (libpool::error_list))
CAF_ADD_TYPE_ID(libpool, (libpool::named_error))
CAF_ADD_TYPE_ID(libpool, (libpool::pipeline_stats))
CAF_ADD_TYPE_ID(libpool, (libpool::pool_stats))
CAF_ADD_TYPE_ID(libpool, (libpool::task_ticket))
CAF_ADD_ATOM(libpool, libpool, stats_atom)
CAF_ADD_ATOM(libpool, libpool, resize_atom)
CAF_ADD_ATOM(libpool, libpool, drain_atom)
CAF_ADD_ATOM(libpool, libpool, pull_atom)
CAF_ADD_ATOM(libpool, libpool, end_atom)
CAF_ADD_TYPE_ID(libpool, (libpool::parcel))
CAF_ADD_TYPE_ID(libpool, (libpool::selection))
CAF_ADD_TYPE_ID(libpool, (libpool::cancel_counts))
CAF_ADD_ATOM(libpool, libpool, cancel_atom)
CAF_ADD_TYPE_ID(libpool, (libpool::pause_scope))
CAF_ADD_ATOM(libpool, libpool, pause_atom)
CAF_ADD_ATOM(libpool, libpool, resume_atom)
CAF_ADD_ATOM(libpool, libpool, idle_atom)

CAF_END_TYPE_ID_BLOCK(libpool)

CAF_ERROR_CODE_ENUM(libpool::errc)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::named_error)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::parcel)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::task_ticket)
