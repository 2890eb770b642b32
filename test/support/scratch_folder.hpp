#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

/// A folder of its own for a test, gone at the end of it.
class scratch_folder {
public:
  scratch_folder() {
    auto name =
      (std::filesystem::temp_directory_path() / "libpool-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + name);
    path_ = name;
  }

  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const {
    return path_ + '/' + name;
  }

  /// Makes a file, and the folders that it is in.
  void file(const std::string& name, const std::string& content = "") const {
    const std::filesystem::path path{*this / name};
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << content;
  }

  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_symlink(target, *this / name);
  }

private:
  std::string path_;
};
