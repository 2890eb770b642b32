#pragma once

#include <cstdint>
#include <string>

namespace farm {

/// What is in a file, or why that is not known.
struct content {
  std::string bytes;
  /// 0, or an errno; `EFBIG` if there is more than wanted.
  int error = 0;
};

/// Reads a file of at most so many bytes. A path that is no regular file by
/// the time it is opened is reported as vanished, and not read.
content read_file(const std::string& path, std::uint64_t largest);

} // namespace farm
