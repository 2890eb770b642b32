#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace poolsim {

/// The JSON document that the text is.
///
/// Errors: invalid_scenario says where the text breaks, or which key is there
///         twice.
nlohmann::json document_of(std::string_view text);

} // namespace poolsim
