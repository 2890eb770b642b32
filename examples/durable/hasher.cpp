#include "hasher.hpp"

#include "hash_tree/format.hpp"
#include "results.hpp"

#include <atomic>
#include <cstdint>
#include <system_error>
#include <utility>

namespace durable {

hasher::hasher(caf::actor_config& cfg, std::string results)
  : caf::event_based_actor(cfg), results_(std::move(results)) {
  // nop
}

caf::behavior hasher::make_behavior() {
  return {[this](const std::string& path) { return hash(path); }};
}

caf::result<void> hasher::hash(const std::string& path) try {
  write_result(results_, result_name(path), line_of(path));
  return caf::unit;
} catch (const std::system_error& why) {
  return caf::make_error(caf::sec::runtime_error, std::string{why.what()});
}

std::string hasher::line_of(const std::string& path) {
  const std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> bytes{0};
  const auto got = hasher_.hash(path, stop, bytes);
  if (got.error != 0)
    throw std::system_error(got.error, std::generic_category(), path);
  return hash_tree::digest_line(got.value, path);
}

} // namespace durable
