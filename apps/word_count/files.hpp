#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace word_count {

/// A file that is open for reading.
///
/// Errors: std::runtime_error with the reason alone, also for a file that is
/// not
/// a regular one.
class input_file {
public:
  explicit input_file(const std::string& path);

  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  ~input_file();

  /// The size when the file was opened.
  std::uint64_t size() const noexcept {
    return size_;
  }

  /// Reads up to `size` bytes from `offset` on; returns how many there were,
  /// which is 0 at the end of the file only.
  std::size_t read(std::uint64_t offset, char* character,
                   std::size_t size) const;

private:
  int fd_;
  std::uint64_t size_ = 0;
};

/// Whether the file is text: has no NUL byte among its first 32 KiB.
bool is_text(const input_file& file);

/// A file that a walk comes across, or a path that could not be looked into,
/// and why.
struct found {
  std::string path;
  std::string why_not = {};
};

/// The regular files under a path, in no particular order. The path itself may
/// be a link; links below are passed over, as `grep -r` does.
///
/// Cost: memory for the names in the folder that it is at, and for the folders
///       still to come.
class walk {
public:
  explicit walk(const std::string& path);

  /// The next file; nothing at the end.
  std::optional<found> next();

private:
  void list(const std::string& folder);
  void visit(const std::filesystem::directory_entry& entry);

  std::vector<found> files_;
  std::vector<std::string> folders_;
};

} // namespace word_count
