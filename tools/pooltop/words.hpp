#pragma once

#include "model.hpp"

#include <string>
#include <vector>

namespace pooltop {

/// How much something is the matter: whether tasks are lost, or only slow.
enum class weight { warning, alarm };

/// Something that is the matter, as a sentence.
struct finding {
  weight how_much = weight::warning;
  std::string sentence;
};

/// What is the matter with the pool, the worst first; none where all is well.
/// What the server says itself counts, if it does: it has seen more.
/// `refusing_s` is for how long the pool has refused tasks, as far as known.
std::vector<finding> matters_of(const pool& pool, const value& refusing_s = {});

/// What is the matter with the pipeline.
std::vector<finding> matters_of(const pipeline& pipeline);

} // namespace pooltop
