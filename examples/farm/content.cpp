#include "content.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farm {

namespace {

class open_file {
public:
  /// Does not wait for whoever writes to a FIFO.
  explicit open_file(const std::string& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
    // nop
  }

  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  ~open_file() {
    if (fd_ >= 0)
      ::close(fd_);
  }

  int fd() const {
    return fd_;
  }

private:
  int fd_;
};

/// Reads up to the end; 0 or an errno. The size is what the system says, which
/// is 0 for files that are made when they are read, as in /proc.
int read_all(int fd, std::uint64_t size, std::uint64_t largest,
             std::string& out) {
  constexpr std::uint64_t smallest = 4096;
  std::size_t filled = 0;
  for (;;) {
    if (filled == out.size()) {
      if (filled > largest)
        return EFBIG;
      size = std::max({size, 2 * std::uint64_t{filled}, smallest});
      out.resize(static_cast<std::size_t>(std::min(size, largest) + 1));
    }
    const auto got = ::read(fd, &out[filled], out.size() - filled);
    if (got < 0 && errno != EINTR)
      return errno;
    if (got > 0)
      filled += static_cast<std::size_t>(got);
    if (got == 0)
      break;
  }
  out.resize(filled);
  return 0;
}

} // namespace

content read_file(const std::string& path, std::uint64_t largest) {
  const open_file file{path};
  if (file.fd() < 0)
    return {{}, errno};
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0)
    return {{}, errno};
  if (!S_ISREG(info.st_mode))
    return {{}, ENOENT};
  content out;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  out.error = read_all(file.fd(), size, largest, out.bytes);
  if (out.error != 0)
    out.bytes.clear();
  return out;
}

} // namespace farm
