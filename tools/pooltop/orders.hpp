#pragma once

#include "choices.hpp"
#include "model.hpp"

#include <string>

namespace pooltop {

/// Orders a change of the chosen pool, or asks whether it is meant if it cannot
/// be undone. Does nothing if the token does not allow to change pools.
void order(command what, const snapshot& from, controls& to);

/// Carries out the command that a question is about if `what` is `yes`. The
/// commands that scroll choose another flow. Any other command closes the
/// question.
void answer_question(command what, const snapshot& from, controls& to);

/// Returns the open question; empty if there is none.
std::string question(const snapshot& from, const controls& of);

} // namespace pooltop
