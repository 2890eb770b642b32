#pragma once

#include "model.hpp"

#include <string>

namespace pooltop {

// Numbers as texts in ASCII; `-` for an unknown number.

/// `812`, `45.2k`, `1.23M`
std::string count_text(const value& count);

/// `3.2/s`, `45.2k/s`
std::string rate_text(const value& per_second);

/// `0.85 ms`, `12 ms`, `1.2 s`, `42 s`, `3 min`, `5 h`, `2 d`
std::string time_text(const value& seconds);

std::string milliseconds_text(const value& milliseconds);

/// `0 %`, `0.1 %`, `73 %`, of a share from 0 to 1
std::string percent_text(const value& share);

/// Returns the number of tasks that wait in the pool, including tasks that are
/// assigned to a worker.
value waiting_in(const pool& of);

/// Returns the share of failures among the tasks that ended recently; if none
/// did, among all tasks.
value failed_share(const pool& of);

/// Returns the share of the recently completed tasks whose handlers answered
/// with an error; unset if none completed, or the pool does not see answers.
value error_answer_share(const pool& of);

} // namespace pooltop
