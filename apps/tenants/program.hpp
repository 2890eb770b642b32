#pragma once

#include "options.hpp"

namespace tenants {

/// The program behind the command line: tables to standard output, messages to
/// standard error, the picture to its file. Does it all.
exit_code run_program(const options& options);

} // namespace tenants
