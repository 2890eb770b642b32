#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace word_count {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t looked_at = std::size_t{32} * 1024;

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

std::string reason(const std::error_code& error) {
  return error ? error.message() : std::string{};
}

/// The size of an open file, which has to be a regular one.
std::uint64_t size_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    fail(errno);
  if (!S_ISREG(info.st_mode))
    throw std::runtime_error("not a regular file");
  return static_cast<std::uint64_t>(info.st_size);
}

} // namespace

// -- input_file ---------------------------------------------------------------

/// Does not wait for the other end of a pipe that took a file's place.
input_file::input_file(const std::string& path)
  : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0)
    fail(errno);
  try {
    size_ = size_of(fd_);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

input_file::~input_file() {
  ::close(fd_);
}

std::size_t input_file::read(std::uint64_t offset, char* character,
                             std::size_t size) const {
  for (;;) {
    const auto got = ::pread(fd_, character, size, static_cast<off_t>(offset));
    if (got >= 0)
      return static_cast<std::size_t>(got);
    if (errno != EINTR)
      fail(errno);
  }
}

bool is_text(const input_file& file) {
  std::vector<char> head(looked_at);
  std::size_t size = 0;
  while (size < head.size()) {
    const auto got = file.read(size, head.data() + size, head.size() - size);
    if (got == 0)
      break;
    size += got;
  }
  const auto end = head.begin() + static_cast<std::ptrdiff_t>(size);
  return std::find(head.begin(), end, '\0') == end;
}

// -- walk ---------------------------------------------------------------------

walk::walk(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    folders_.push_back(path);
  else
    files_.push_back({path, reason(error)}); // opening it shows its kind
}

std::optional<found> walk::next() {
  while (files_.empty()) {
    if (folders_.empty())
      return std::nullopt;
    const auto folder = std::move(folders_.back());
    folders_.pop_back();
    list(folder);
  }
  auto out = std::move(files_.back());
  files_.pop_back();
  return out;
}

void walk::list(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator directory{folder, error}, end;
       !error && directory != end; directory.increment(error))
    visit(*directory);
  if (error)
    files_.push_back({folder, reason(error)});
}

/// A file that vanished since it was listed is passed over.
void walk::visit(const fs::directory_entry& entry) {
  std::error_code error;
  const auto is = entry.symlink_status(error).type();
  if (is == fs::file_type::directory)
    folders_.push_back(entry.path().string());
  else if (is == fs::file_type::regular)
    files_.push_back({entry.path().string(), {}});
  else if (is == fs::file_type::none)
    files_.push_back({entry.path().string(), reason(error)});
}

} // namespace word_count
