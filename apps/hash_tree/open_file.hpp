#pragma once

#include <cstdint>
#include <string>

namespace hash_tree {

/// A regular file that is open for reading, and closed at the end of the scope.
class open_file {
public:
  explicit open_file(const std::string& path);

  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  ~open_file();

  /// Returns 0, or the errno of the failure. A path that is not a regular file
  /// when it is opened, such as a FIFO that has replaced the file, is reported
  /// as vanished.
  int error() const {
    return error_;
  }

  /// Returns the descriptor for reading, if `error()` is 0.
  int fd() const {
    return fd_;
  }

  /// Returns the size that the system reports; 0 for files whose content is
  /// made when they are read, as in /proc.
  std::uint64_t size() const {
    return size_;
  }

private:
  int inspect();

  int fd_;
  std::uint64_t size_ = 0;
  int error_;
};

} // namespace hash_tree
