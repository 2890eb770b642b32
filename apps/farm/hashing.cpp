#include "hashing.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace farm {

caf::behavior hasher(caf::event_based_actor*, const std::string& node) {
  using answer = caf::result<std::string, std::string>;
  const auto running = std::make_shared<hash_tree::running_digest>();
  const auto hash = [running, node](const std::string& content) -> answer {
    running->add(content.data(), content.size());
    return {bytes_of(running->finish()), node};
  };
  return {
    [hash](const std::string& content) { return hash(content); },
    [hash](const std::string& /* id */, const std::string& content) {
      return hash(content);
    },
  };
}

caf::behavior local_hasher(caf::event_based_actor*,
                           const std::atomic<bool>* stop) {
  const auto files = std::make_shared<hash_tree::file_hasher>();
  return {
    [files, stop](const std::string& path)
      -> caf::result<std::int32_t, std::string, std::uint64_t> {
      std::atomic<std::uint64_t> read{0};
      const auto got = files->hash(path, *stop, read);
      return {got.error, bytes_of(got.value), got.size};
    },
  };
}

std::string bytes_of(const hash_tree::digest& value) {
  return {value.begin(), value.end()};
}

hash_tree::digest digest_in(const std::string& bytes) {
  hash_tree::digest out;
  if (bytes.size() != out.size())
    throw std::invalid_argument("the result is not a digest");
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

} // namespace farm
