#pragma once

#include <chrono>
#include <string>

namespace libpool {

/// The turn of a thread to connect to a host. One thread of the process has it
/// at a time.
///
/// If two connections to the same process are made at the same time, that
/// process may use one of them for its answers, and CAF 1 may close this one as
/// superfluous. Answers then have no way back, and no later connection repairs
/// this.
class turn {
public:
  using clock = std::chrono::steady_clock;

  /// Waits until the thread may connect to `host`, at most until `deadline`.
  turn(std::string host, clock::time_point deadline);

  ~turn();

  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

  /// Whether the thread has the turn.
  bool has_come() const noexcept {
    return has_come_;
  }

private:
  std::string host_;
  bool has_come_ = false;
};

} // namespace libpool
