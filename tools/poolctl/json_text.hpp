/// JSON of a live view as text for people.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace poolctl {

using json = nlohmann::ordered_json;

/// Returns the text; in quotes and with escapes if it has characters that could
/// change a terminal.
std::string printable(const std::string& text);

/// Returns the value at the path, such as `window/wait_ms/p95`, with the unit
/// that the path names; `-` if it is not known.
std::string value_text(const std::string& path, const json& object);

/// Returns what is known of the object and of the objects in it, except for
/// lists: names and values, without zeros, in lines of a common width.
std::string figures(const json& object);

/// Returns a table with a row for each object and a column for each path. A
/// column without values is left out. Empty without rows.
std::string table(const json& rows, const std::vector<std::string>& paths);

} // namespace poolctl
