#pragma once

#include <string>
#include <string_view>

#include "sha256.hpp"

namespace hash_tree {

/// The bytes in lower-case hexadecimal digits, two for each.
std::string hex(const digest& value);
std::string hex(std::string_view bytes);

/// The line that `sha256sum` prints for this file, newline included. A name
/// with a backslash, newline or carriage return is escaped, and the line then
/// begins with a backslash.
std::string digest_line(const digest& value, std::string_view path);

/// Whether the bytes are well-formed UTF-8, hence fit for JSON as they are.
bool is_utf8(std::string_view bytes);

} // namespace hash_tree
