#pragma once

#include "source.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace pooltop {

/// Asks a source again and again, in a thread of its own, so that a server that
/// does not answer keeps nobody waiting.
///
/// Threads: the functions are for one thread. The thread of its own is left to
/// itself in the end, since nothing ends the resolving of a name: end the
/// program by std::_Exit.
class poller {
public:
  using clock = std::chrono::steady_clock;

  poller(const source& from, std::chrono::milliseconds interval);

  /// The next answer, if it comes in that time; each is told once.
  std::optional<answer> wait_for(std::chrono::milliseconds time);

  /// While it is paused, nothing is asked.
  void pause(bool is_paused);

  /// For how long the server owes an answer; 0: it does not.
  std::chrono::duration<double> owed() const;

private:
  struct shared;

  std::shared_ptr<shared> shared_;
};

} // namespace pooltop
