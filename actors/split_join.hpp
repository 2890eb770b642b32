#pragma once

#include "libpool/actors/direct_policy.hpp"
#include "libpool/actors/gathering.hpp"

#include <caf/message.hpp>

#include <functional>
#include <memory>

namespace libpool {

/// Fills in the task of each worker.
using splitter = std::function<void(worker_tasks&, caf::message&)>;

/// Dispatches each message as tasks of its own for all workers, and answers it
/// with one result. `split` and `join` are copied for each message.
///
/// Errors: std::invalid_argument for options out of bounds.
std::unique_ptr<direct_policy> make_split_join(splitter split,
                                               std::unique_ptr<joiner> join,
                                               gather_options options);

} // namespace libpool
