#include "source.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace word_count {

namespace {

/// A file of size 0 may be one of /proc: it is one chunk to its end.
cutter cut(std::uint64_t size, std::uint64_t chunk) {
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  return size > 0 ? cutter{size, chunk} : cutter{all, all};
}

} // namespace

source::source(const std::string& path, std::uint64_t chunk_size,
               std::size_t batch_size, tally& seen)
  : walk_(path),
    chunk_size_(chunk_size),
    batch_size_(batch_size),
    seen_(seen),
    rest_(0, chunk_size) {
  // nop
}

std::optional<batch> source::next() {
  batch out;
  while (out.size() < batch_size_) {
    auto more = next_chunk();
    if (!more)
      break;
    out.push_back(std::move(*more));
  }
  return out.empty() ? std::nullopt : std::optional{std::move(out)};
}

std::optional<chunk> source::next_chunk() {
  do {
    if (const auto range = rest_.next())
      return chunk{path_, *range};
  } while (next_file());
  return std::nullopt;
}

/// Whether there is one; it may have no chunks.
bool source::next_file() {
  const auto item = walk_.next();
  if (!item)
    return false;
  if (!item->why_not.empty())
    seen_.failed(item->path, item->why_not);
  else
    open(item->path);
  return true;
}

void source::open(const std::string& path) try {
  const input_file file{path};
  if (!is_text(file))
    return;
  ++seen_.files;
  path_ = path;
  rest_ = cut(file.size(), chunk_size_);
} catch (const std::runtime_error& why) {
  seen_.failed(path, why.what());
}

} // namespace word_count
