#include "libpool/actors/batching.hpp"

namespace libpool {

std::optional<std::string> objection_to(const batching& rule) {
  if (rule.type == nullptr)
    return "type must be that of batch_of, got none";
  if (rule.most < 1)
    return "most must be at least 1, got 0";
  if (rule.wait < duration{0})
    return "wait must be at least 0, got " + std::to_string(rule.wait.count())
           + " ns";
  if (rule.bytes < 1)
    return "bytes must be at least 1, got 0";
  if (rule.bytes != batch_bounds::unlimited && !rule.type->has_sizes())
    return "bytes must be unlimited if batch_of has no size function, got "
           + std::to_string(rule.bytes);
  return std::nullopt;
}

} // namespace libpool
