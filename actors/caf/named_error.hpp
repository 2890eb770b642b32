#pragma once

#include "libpool/actors/caf/port/type_ids.hpp"

#include <caf/error.hpp>

#include <string>

namespace libpool {

/// The error that a worker has answered with, and the worker's name.
struct named_error {
  caf::error why;
  std::string worker;
  bool is_pool = false; // that had no worker to answer
};

} // namespace libpool
