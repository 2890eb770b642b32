#pragma once

#include <string>

namespace durable {

/// Returns the name of the result of a file. It is the same for each attempt,
/// and each time the file is submitted.
std::string result_name(const std::string& path);

/// Writes a file with this name to the folder, and replaces an existing one. A
/// reader sees either the old or the new content, even if a process is killed
/// at any moment. On return, the file is on the disk.
///
/// Errors: std::system_error. A process that is killed during the call can
///         leave a file whose name begins with a dot.
void write_result(const std::string& folder, const std::string& name,
                  const std::string& content);

} // namespace durable
