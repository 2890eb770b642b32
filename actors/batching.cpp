#include "libpool/actors/batching.hpp"

#include "libpool/actors/batch_of.hpp"

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

namespace detail {

void throw_wrong_number(std::size_t results, std::size_t messages) {
  throw user_function_failed{
    "the worker has answered a batch of " + std::to_string(messages)
    + (messages == 1 ? " message with " : " messages with ")
    + std::to_string(results) + (results == 1 ? " result" : " results")};
}

} // namespace detail

} // namespace libpool
