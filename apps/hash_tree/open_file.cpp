#include "open_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hash_tree {

// O_NONBLOCK: a FIFO that took the file's place must not block us.
open_file::open_file(const std::string& path)
  : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)),
    error_(fd_ < 0 ? errno : inspect()) {
  // nop
}

open_file::~open_file() {
  if (fd_ >= 0)
    ::close(fd_);
}

int open_file::inspect() {
  struct stat info {};
  if (::fstat(fd_, &info) != 0)
    return errno;
  if (!S_ISREG(info.st_mode))
    return ENOENT;
  size_ = static_cast<std::uint64_t>(info.st_size);
  return 0;
}

} // namespace hash_tree
