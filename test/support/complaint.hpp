#pragma once

#include <stdexcept>
#include <string>

namespace test {

/// The text of the std::invalid_argument that `refused` throws, if any.
template <class Refused>
std::string complaint(Refused refused) {
  try {
    refused();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

} // namespace test
