#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// Whether the error is an error of libpool.
bool is_own(const caf::error& error) noexcept;

/// Returns the code of an error of libpool.
/// @pre `is_own(error)`
inline errc code_of(const caf::error& error) noexcept {
  return static_cast<errc>(error.code());
}

/// Category and code of an error.
struct error_kind {
  std::uint64_t category = 0;
  std::uint8_t code = 0;
};

/// Returns the category and the code of the error.
error_kind kind_of(const caf::error& error) noexcept;

/// Returns the name of the error without its context: that of the code, such as
/// `request_timeout`, or the category and the number of a code of the user.
std::string name_of(const error_kind& error);

/// Returns the error that answers a request that its receiver has dropped.
caf::error dropped_request();

/// Returns the errors that follow the text in the context of a combined error;
/// nullptr if no errors follow.
const std::vector<caf::error>* errors_behind_text(const caf::message& context);

/// Returns the error with the context `context` in place of its own.
caf::error with_context(const caf::error& error, caf::message context);

/// Returns an error of libpool whose `retry_after` is `time`.
caf::error make_error(errc code, duration time);

/// Returns the error as CAF formats it. The overload with a system also formats
/// categories of errors that are known only to the system.
std::string rendered(const caf::error& error);
std::string rendered(const caf::error& error, const caf::actor_system& system);

} // namespace libpool
