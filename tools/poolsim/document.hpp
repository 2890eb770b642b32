#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace poolsim {

/// Returns the JSON document in the text.
///
/// Errors: invalid_scenario names the position of a syntax error, or a key that
///         occurs twice.
nlohmann::json document_of(std::string_view text);

} // namespace poolsim
