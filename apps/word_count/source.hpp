#pragma once

#include "chunks.hpp"
#include "files.hpp"
#include "messages.hpp"
#include "tally.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace word_count {

/// The chunks of all text files under a path, batch by batch.
class source {
public:
  /// `seen` is told of files, and of paths that cannot be read; it has to
  /// outlive the source.
  source(const std::string& path, std::uint64_t chunk_size,
         std::size_t batch_size, tally& seen);

  /// The next batch, of which only the last one may have fewer chunks; nothing
  /// at the end.
  std::optional<batch> next();

private:
  std::optional<chunk> next_chunk();
  bool next_file();
  void open(const std::string& path);

  walk walk_;
  std::uint64_t chunk_size_;
  std::size_t batch_size_;
  tally& seen_;
  std::string path_;
  cutter rest_;
};

} // namespace word_count
