#pragma once

#include <string>

namespace durable {

/// The name of the result of a file: the same for each attempt, and for each
/// time that the file is submitted.
std::string result_name(const std::string& path);

/// Puts a file of this name into the folder, in place of the one that is there.
/// Readers see the old content or the new one, whoever is killed when; on
/// return it is on the disk.
///
/// Errors: std::system_error. What a process leaves that is killed meanwhile is
/// a file whose name begins with a dot.
void write_result(const std::string& folder, const std::string& name,
                  const std::string& content);

} // namespace durable
