#include "libpool/actors/batch_of.hpp"

#include <string>

namespace libpool::detail {

void throw_wrong_number(std::size_t results, std::size_t messages) {
  throw user_function_failed{
    "the worker has answered a batch of " + std::to_string(messages)
    + (messages == 1 ? " message with " : " messages with ")
    + std::to_string(results) + (results == 1 ? " result" : " results")};
}

} // namespace libpool::detail
