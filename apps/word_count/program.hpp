#pragma once

#include "options.hpp"

namespace word_count {

/// The program behind the command line: the table to standard output, messages
/// and progress to standard error. Does it all.
exit_code run_program(const options& options);

} // namespace word_count
