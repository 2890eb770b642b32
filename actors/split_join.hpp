#pragma once

#include "libpool/actors/direct_policy.hpp"
#include "libpool/actors/gathering.hpp"

#include <caf/message.hpp>

#include <functional>
#include <memory>

namespace libpool {

/// Fills in the task of each worker.
using splitter = std::function<void(worker_tasks&, caf::message&)>;

/// Returns a policy that dispatches each message as one task for each worker,
/// and answers the message with one joined result. `split` and `join` are
/// copied for each message.
///
/// Errors: std::invalid_argument for options that are out of bounds.
std::unique_ptr<direct_policy> make_split_join(splitter split,
                                               std::unique_ptr<joiner> join,
                                               gather_options options);

} // namespace libpool
