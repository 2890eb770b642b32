#include "tally.hpp"

namespace word_count {

void tally::failed(const std::string& path, const std::string& why) {
  const std::lock_guard<std::mutex> guard{mutex_};
  failures_.emplace(path, why);
}

std::map<std::string, std::string> tally::failures() const {
  const std::lock_guard<std::mutex> guard{mutex_};
  return failures_;
}

} // namespace word_count
