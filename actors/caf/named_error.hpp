#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"

#include <caf/error.hpp>

#include <string>

namespace libpool {

/// Error of a worker, with the name of the worker.
struct named_error {
  caf::error why;
  std::string worker;
  bool is_pool = false; // a pool whose workers did not answer
};

} // namespace libpool
