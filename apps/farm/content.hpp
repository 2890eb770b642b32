#pragma once

#include <cstdint>
#include <string>

namespace farm {

/// Content of a file, or the error that prevented reading it.
struct content {
  std::string bytes;
  /// 0, or an errno; `EFBIG` if the file is larger than allowed.
  int error = 0;
  /// Time of the last change of the file, in nanoseconds since 1970. It was
  /// asked before the bytes were read.
  std::int64_t changed_at = 0;
};

/// Reads a file of at most `largest` bytes. A path that is not a regular file
/// when it is opened is reported as vanished, and is not read.
content read_file(const std::string& path, std::uint64_t largest);

/// Returns the id of a content that was read from a file, 64 digits. A file
/// that is read again has the same id if it was not changed, and another id if
/// its bytes differ. A file can change twice in one tick of the clock, so the
/// id also has a checksum of the bytes.
std::string id_of(const std::string& path, const content& content);

} // namespace farm
