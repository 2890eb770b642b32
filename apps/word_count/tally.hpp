#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace word_count {

/// The progress so far, and the errors.
///
/// Threads: any may call anything.
class tally {
public:
  std::atomic<std::uint64_t> files{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> words{0};

  /// The file could not be read.
  void failed(const std::string& path, const std::string& why);

  /// Why, by path; the first reason of each.
  std::map<std::string, std::string> failures() const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> failures_;
};

} // namespace word_count
