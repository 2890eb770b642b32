#pragma once

#include "counting.hpp"
#include "options.hpp"
#include "tally.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <string>

namespace word_count {

/// Counts the words of all text files under `options.path`.
///
/// Errors: files that cannot be read are told to `seen`, the rest is counted;
/// std::runtime_error if the workers fail.
/// @pre `seen` outlives the actor system
word_counts count(caf::actor_system& system, const options& options,
                  tally& seen,
                  const std::function<void(const std::string&)>& tell);

} // namespace word_count
