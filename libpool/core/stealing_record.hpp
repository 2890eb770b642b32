#pragma once

namespace libpool {

/// The record that a stealing keeps of one task, or of one worker.
struct stealing_record {
  stealing_record() = default;
  stealing_record(const stealing_record&) = delete;
  stealing_record& operator=(const stealing_record&) = delete;
  virtual ~stealing_record() = default;
};

} // namespace libpool
