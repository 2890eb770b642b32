#include "counter.hpp"

#include "files.hpp"

#include <stdexcept>
#include <utility>

namespace word_count {

counter::counter(caf::actor_config& cfg, tally& seen)
  : caf::event_based_actor(cfg), seen_(seen) {
  // nop
}

caf::behavior counter::make_behavior() {
  return {[this](const chunk& chunk) { return count(chunk); }};
}

word_counts counter::count(const chunk& chunk) try {
  const input_file file{chunk.path};
  auto read = [&](std::uint64_t offset, char* character, std::size_t size) {
    return file.read(offset, character, size);
  };
  auto out = count_range(read, chunk.range);
  seen_.bytes += out.bytes;
  seen_.words += total(out.words);
  return std::move(out.words);
} catch (const std::runtime_error& why) {
  seen_.failed(chunk.path, why.what());
  return {};
}

} // namespace word_count
