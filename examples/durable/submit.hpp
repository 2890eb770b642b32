#pragma once

#include "broker.hpp"
#include "options.hpp"

#include <cstddef>
#include <iosfwd>

namespace durable {

/// How many jobs the server has, and how many of them it had not before.
struct submitted {
  std::size_t all = 0;
  std::size_t fresh = 0;
};

/// Puts the files into the queue, under their absolute paths. What was
/// submitted before an error stays; to submit it once more does no harm.
///
/// Errors: std::runtime_error.
submitted submit(broker& to, const submit_options& options,
                 std::istream& input);

} // namespace durable
