#pragma once

#include <cstdint>
#include <string>

namespace hash_tree {

/// A regular file, open to be read, and closed at the end of the scope.
class open_file {
public:
  explicit open_file(const std::string& path);

  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  ~open_file();

  /// 0, or the errno that stopped it. A path that is no regular file by the
  /// time it is opened (say, a FIFO took its place) is reported as vanished.
  int error() const {
    return error_;
  }

  /// To read from, if there is no error.
  int fd() const {
    return fd_;
  }

  /// What the system says: 0 for files that are made when they are read, as in
  /// /proc.
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
