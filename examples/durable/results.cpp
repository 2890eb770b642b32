#include "results.hpp"

#include "hash_tree/format.hpp"
#include "hash_tree/sha256.hpp"

#include "console/outputs.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace durable {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::system_error(errno, std::generic_category(), what);
}

/// Closes the file at the end of the scope.
class open_file {
public:
  open_file(int fd, const std::string& path) : fd_(fd), path_(path) {
    require(fd_ >= 0, path_);
  }

  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  ~open_file() {
    ::close(fd_);
  }

  void write(std::string_view text) const {
    const auto error = console::write_all(fd_, text);
    if (error != 0)
      throw std::system_error(error, std::generic_category(), path_);
  }

  void to_disk() const {
    require(::fsync(fd_) == 0, path_);
  }

private:
  int fd_;
  const std::string& path_;
};

void fill(const std::string& path, int fd, const std::string& content) {
  const open_file file{fd, path};
  file.write(content);
  file.to_disk();
}

/// A name is on the disk when its folder is.
void put_in_place(const std::string& from, const std::string& folder,
                  const std::string& name) {
  const auto to = folder + '/' + name;
  require(std::rename(from.c_str(), to.c_str()) == 0, to);
  const auto flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  open_file{::open(folder.c_str(), flags), folder}.to_disk();
}

} // namespace

std::string result_name(const std::string& path) {
  hash_tree::running_digest digest;
  digest.add(path.data(), path.size());
  return hash_tree::hex(digest.finish());
}

void write_result(const std::string& folder, const std::string& name,
                  const std::string& content) {
  auto draft = folder + "/." + name + "-XXXXXX";
  const auto fd = ::mkostemp(draft.data(), O_CLOEXEC);
  try {
    fill(draft, fd, content);
    put_in_place(draft, folder, name);
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
}

} // namespace durable
