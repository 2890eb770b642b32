#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace libpool::live {

/// A problem of a pool or a pipeline.
struct problem {
  /// Sentence without a capital letter and a full stop.
  std::string text;
  /// Anchor of the section in the guide that explains the cure.
  std::string cure;
  /// Whether tasks are lost, not only slow.
  bool loses_tasks = false;
  /// Number of the worker that is the problem, or whose task is, if one is.
  std::optional<std::uint64_t> worker = std::nullopt;
};

} // namespace libpool::live
