#pragma once

#include "libpool/actors/direct_policy.hpp"
#include "libpool/actors/gathering.hpp"
#include "libpool/export.hpp"

#include <caf/message.hpp>

#include <functional>
#include <memory>

namespace libpool {

/// Function that splits a message into tasks. The first argument is a list of
/// all workers; the function sets the task of each worker.
using splitter = std::function<void(worker_tasks&, caf::message&)>;

/// Returns the policy of `actor_pool::split_join`, which splits each message
/// into one task for each worker, and joins the results into one answer.
/// `split` and `join` are copied for each message.
///
/// Errors: std::invalid_argument for options that are out of bounds.
LIBPOOL_EXPORT std::unique_ptr<direct_policy>
make_split_join(splitter split, std::unique_ptr<joiner> join,
                gather_options options);

} // namespace libpool
