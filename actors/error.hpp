#pragma once

#include "libpool/core/errc.hpp"

#include <caf/error.hpp>

#include <string>

namespace libpool {

/// Translates `code` to a `caf::error` of the category "libpool", with what it
/// means as its context. Found by CAF, so that `err == errc::no_workers` and
/// `return errc::no_workers;` work as with CAF's own codes.
caf::error make_error(errc code);

/// The same, with `context` in the place of the general words.
caf::error make_error(errc code, std::string context);

} // namespace libpool
