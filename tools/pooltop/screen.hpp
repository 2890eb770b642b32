#pragma once

#include "options.hpp"
#include "symbols.hpp"

namespace pooltop {

/// Prints one report.
exit_code run_once(const options& by, const symbols& with);

/// Shows pools until the user quits.
///
/// Errors: std::runtime_error if the terminal cannot be used.
exit_code run_screen(const options& by, const symbols& with);

} // namespace pooltop
