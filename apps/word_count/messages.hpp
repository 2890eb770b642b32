#pragma once

#include "chunks.hpp"
#include "libpool/actors/caf/port/inspection.hpp"

#include <caf/all.hpp>

#include <string>
#include <vector>

namespace word_count {

/// A part of a file.
struct chunk {
  std::string path;
  byte_range range;
};

/// The chunks that one worker counts together.
using batch = std::vector<chunk>;

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, byte_range& x) {
  return libpool::inspect_fields(f, x, "byte_range",
                                 libpool::field{"begin", x.begin},
                                 libpool::field{"end", x.end});
}

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, chunk& x) {
  return libpool::inspect_fields(f, x, "chunk", libpool::field{"path", x.path},
                                 libpool::field{"range", x.range});
}

} // namespace word_count

CAF_BEGIN_TYPE_ID_BLOCK(word_count, first_custom_type_id)

CAF_ADD_TYPE_ID(word_count, (word_count::chunk))
CAF_ADD_TYPE_ID(word_count, (word_count::batch))
CAF_ADD_TYPE_ID(word_count, (word_count::word_counts))

CAF_END_TYPE_ID_BLOCK(word_count)
