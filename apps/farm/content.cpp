#include "content.hpp"

#include "hash_tree/format.hpp"
#include "hash_tree/open_file.hpp"
#include "hash_tree/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace farm {

namespace {

std::int64_t change_of(int fd) {
  struct stat info {};
  ::fstat(fd, &info);
  return std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000
         + info.st_ctim.tv_nsec;
}

/// Reads up to the end; 0 or an errno. The file may have more than its size.
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
  const hash_tree::open_file file{path};
  content out{{}, file.error()};
  if (out.error != 0)
    return out;
  out.changed_at = change_of(file.fd());
  out.error = read_all(file.fd(), file.size(), largest, out.bytes);
  if (out.error != 0)
    out.bytes.clear();
  return out;
}

std::string id_of(const std::string& path, const content& content) {
  const auto parts =
    fmt::format("{} {} {} {}", content.bytes.size(), content.changed_at,
                std::hash<std::string_view>{}(content.bytes), path);
  hash_tree::running_digest digest;
  digest.add(parts.data(), parts.size());
  return hash_tree::hex(digest.finish());
}

} // namespace farm
