#include "tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include <dirent.h>

namespace hash_tree {

namespace {

bool is_dot(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

std::string with_slash(std::string path) {
  if (path.empty() || path.back() != '/')
    path += '/';
  return path;
}

} // namespace

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0
           ? static_cast<std::uint64_t>(info.st_size)
           : 0;
}

// -- visited ------------------------------------------------------------------

std::size_t visited::inode_hash::operator()(const inode& x) const {
  const auto mixed = static_cast<std::uint64_t>(x.device)
                     * 0x9e3779b97f4a7c15ULL;
  return std::hash<std::uint64_t>{}(mixed ^ x.number);
}

bool visited::first_visit_of_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return true;
  if (info.st_nlink <= 1)
    return inodes_.insert({info.st_dev, info.st_ino}).second;
  const std::unique_ptr<char, void (*)(void*)> real{
    ::realpath(path.c_str(), nullptr), std::free};
  return real == nullptr || real_paths_.emplace(real.get()).second;
}

bool visited::first_visit_of_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) != 0
         || inodes_.insert({info.st_dev, info.st_ino}).second;
}

// -- tree ---------------------------------------------------------------------

tree::tree(std::string path, visited* seen) : seen_(seen) {
  current_.path = std::move(path);
}

bool tree::advance() {
  if (!started_ && start())
    return true;
  while (!levels_.empty()) {
    auto& here = levels_.back();
    if (here.next == here.entries.size()) {
      levels_.pop_back();
      continue;
    }
    const auto item = std::move(here.entries[here.next++]);
    const auto prefix = here.prefix; // a copy: descending moves the levels
    if (visit(prefix, item))
      return true;
  }
  return false;
}

bool tree::start() {
  started_ = true;
  const auto path = current_.path;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return arrive(path, found::kind::failed, errno);
  if (S_ISDIR(info.st_mode))
    return descend(path);
  return arrive(path, S_ISREG(info.st_mode) ? found::kind::regular
                                            : found::kind::special);
}

bool tree::arrive(std::string path, found::kind kind, int error) {
  current_ = found{std::move(path), kind, error};
  return true;
}

bool tree::visit(const std::string& prefix, const entry& item) {
  auto path = prefix + item.name;
  if (item.error != 0)
    return arrive(std::move(path), found::kind::failed, item.error);
  if (!item.is_directory())
    return arrive(std::move(path), found::kind::regular);
  path.pop_back();
  return descend(std::move(path));
}

bool tree::descend(std::string path) {
  if (seen_ != nullptr && !seen_->first_visit_of_directory(path))
    return false;
  level below{with_slash(path), {}, 0};
  if (const int error = list(path, below.entries); error != 0)
    return arrive(std::move(path), found::kind::failed, error);
  levels_.push_back(std::move(below));
  return false;
}

int tree::list(const std::string& directory, std::vector<entry>& out) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> open{::opendir(directory.c_str()),
                                                 ::closedir};
  if (open == nullptr)
    return errno;
  errno = 0;
  while (const auto* item = ::readdir(open.get())) {
    if (!is_dot(item->d_name))
      classify(directory, item->d_name, item->d_type, out);
    errno = 0;
  }
  if (errno != 0)
    return errno;
  std::sort(out.begin(), out.end(),
            [](const entry& x, const entry& y) { return x.name < y.name; });
  return 0;
}

void tree::classify(const std::string& directory, const char* name,
                    unsigned char type, std::vector<entry>& out) const {
  const bool follow = seen_ != nullptr;
  if (type == DT_UNKNOWN || (type == DT_LNK && follow)) {
    const auto path = with_slash(directory) + name;
    struct stat info {};
    if ((follow ? ::stat : ::lstat)(path.c_str(), &info) != 0) {
      out.push_back({name, errno});
      return;
    }
    type = static_cast<unsigned char>(IFTODT(info.st_mode));
  }
  if (type == DT_REG)
    out.push_back({name, 0});
  else if (type == DT_DIR)
    out.push_back({std::string{name} + '/', 0});
}

} // namespace hash_tree
