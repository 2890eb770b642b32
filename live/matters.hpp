/// What is the matter, decided here for all who show it.

#pragma once

#include "libpool/actors/pipeline.hpp"
#include "libpool/live/history.hpp"

#include <string>
#include <vector>

namespace libpool::live {

/// Something that is the matter with a pool or a pipeline.
struct finding {
  /// A sentence without a capital letter and a full stop.
  std::string text;
  /// Anchor of the section in the guide that says what to do.
  std::string cure;
  /// Whether tasks are lost, rather than slow.
  bool loses_tasks = false;
};

/// Returns what is the matter, the gravest first; empty if nothing is. What may
/// alternate from one moment to the next is decided by the last ten seconds.
std::vector<finding> matters_of(const pool_sample& now,
                                const recent_past& before);

std::vector<finding> matters_of(const pipeline_stats& now);

} // namespace libpool::live
