#pragma once

#include "source.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace pooltop {

/// Asks a source repeatedly in a separate thread, so that a server that does
/// not answer does not block the program.
///
/// Threads: one thread may call the functions. The separate thread is never
///          joined, since the resolution of a name cannot be interrupted: end
///          the program with std::_Exit.
class poller {
public:
  using clock = std::chrono::steady_clock;

  poller(const source& from, std::chrono::milliseconds interval);

  /// Waits up to `time` for the next answer. Each answer is returned once.
  std::optional<answer> wait_for(std::chrono::milliseconds time);

  /// Stops or continues asking.
  void pause(bool is_paused);

  /// Has a request that changes a pool sent, before the next question.
  void send(std::string target);

  /// Returns the answer of the server to the last such request, once.
  std::optional<std::string> outcome();

  /// Time since the open request was sent; 0 if no request is open.
  std::chrono::duration<double> owed() const;

private:
  struct shared;

  std::shared_ptr<shared> shared_;
};

} // namespace pooltop
