#pragma once

#include "chunks.hpp"

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
typename Inspector::result_type inspect(Inspector& f, byte_range& x) {
  return f(caf::meta::type_name("byte_range"), x.begin, x.end);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, chunk& x) {
  return f(caf::meta::type_name("chunk"), x.path, x.range);
}

} // namespace word_count

CAF_BEGIN_TYPE_ID_BLOCK(word_count, first_custom_type_id)

CAF_ADD_TYPE_ID(word_count, (word_count::chunk))
CAF_ADD_TYPE_ID(word_count, (word_count::batch))
CAF_ADD_TYPE_ID(word_count, (word_count::word_counts))

CAF_END_TYPE_ID_BLOCK(word_count)
