#pragma once

#include "poolsim/observed.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace test {

/// Checks one thing that a vector expects of a result, by its key; README.md of
/// the vectors says which keys there are.
void check_expectation(const observed& run, const std::string& key,
                       const nlohmann::json& wanted);

} // namespace test
