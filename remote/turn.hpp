#pragma once

#include <chrono>
#include <string>

namespace libpool {

/// The turn of a thread to connect to a host, which one thread of the process
/// has at a time.
///
/// If two connections to one process greet it at once, that process may choose
/// one of them for its answers, and CAF 1 close that very one as superfluous:
/// answers have no way from then on, and no later connection repairs it.
class turn {
public:
  using clock = std::chrono::steady_clock;

  /// Waits for the turn until `deadline`.
  turn(std::string host, clock::time_point deadline);

  ~turn();

  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

  /// Whether it has come.
  bool has_come() const noexcept {
    return has_come_;
  }

private:
  std::string host_;
  bool has_come_ = false;
};

} // namespace libpool
