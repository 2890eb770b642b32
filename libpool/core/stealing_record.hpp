#pragma once

#include "libpool/export.hpp"

namespace libpool {

/// Base class of the data that a work stealing policy keeps for a task or a
/// worker.
struct LIBPOOL_EXPORT stealing_record {
  stealing_record() = default;
  stealing_record(const stealing_record&) = delete;
  stealing_record& operator=(const stealing_record&) = delete;
  virtual ~stealing_record() = default;
};

} // namespace libpool
