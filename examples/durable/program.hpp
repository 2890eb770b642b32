#pragma once

#include "options.hpp"

namespace durable {

/// The program behind the command line: what happens to standard output,
/// messages to standard error. Does it all.
exit_code run_program(const options& options);

} // namespace durable
