#pragma once

#include "options.hpp"
#include "symbols.hpp"

namespace pooltop {

/// Prints one report.
exit_code run_once(const options& by, const symbols& with);

/// Shows pools until the user has enough.
///
/// Errors: std::runtime_error if the terminal is of no use.
exit_code run_screen(const options& by, const symbols& with);

} // namespace pooltop
