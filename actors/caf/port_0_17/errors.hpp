#pragma once

#include "libpool/core/errc.hpp"

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace libpool {

/// Whether the error is one of libpool's.
inline bool is_own(const caf::error& error) noexcept {
  return error && error.category() == caf::atom("libpool");
}

/// @pre `is_own(error)`
inline errc code_of(const caf::error& error) noexcept {
  return static_cast<errc>(error.code());
}

/// The answer to a request that its receiver has dropped.
caf::error dropped_request();

/// The errors in the context of another one, behind a text; nullptr if there
/// are none.
const std::vector<caf::error>* errors_behind_text(const caf::message& context);

/// The error as CAF puts it. That of a system may know more errors.
std::string rendered(const caf::error& error);
std::string rendered(const caf::error& error, const caf::actor_system& system);

} // namespace libpool
