#pragma once

#include <cstddef>

namespace libpool {

/// Maximum number of messages that one round of a managed pool handles of work
/// that may concern any number of them: parts that become tasks, messages that
/// are cancelled, ends that are told. The rest is for later rounds. Chosen so
/// that a round takes less than a millisecond.
constexpr std::size_t most_in_round = 128;

} // namespace libpool
