#pragma once

#include <cstdint>
#include <string>

namespace farm {

/// Content of a file, or the error that prevented reading it.
struct content {
  std::string bytes;
  /// 0, or an errno; `EFBIG` if the file is larger than allowed.
  int error = 0;
};

/// Reads a file of at most `largest` bytes. A path that is not a regular file
/// when it is opened is reported as vanished, and is not read.
content read_file(const std::string& path, std::uint64_t largest);

} // namespace farm
