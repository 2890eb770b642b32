#pragma once

#include "options.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace farm {

/// A process of this program that is killed when this process ends.
class child {
public:
  /// Errors: std::system_error.
  explicit child(std::vector<std::string> arguments);

  child(child&& other) noexcept;
  child& operator=(child&& other) noexcept;
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  /// Kills it.
  ~child();

  void send(int signal) const;

private:
  void kill() noexcept;

  pid_t id_ = -1;
};

/// Returns the name of an agent that a front has started: the numbers begin
/// with 0.
std::string name_of_own(std::size_t agent);

/// Agents of this machine, for a front on this machine.
///
/// Threads: its own one starts, kills and stops agents.
class herd {
public:
  /// `tell` is called with lines on what happens to agents.
  herd(const front_options& options,
       std::function<void(const std::string&)> tell);

  herd(const herd&) = delete;
  herd& operator=(const herd&) = delete;

  /// Ends the agents.
  ~herd();

private:
  void live();
  child start(std::size_t index) const;
  void harm();
  bool rest(std::chrono::nanoseconds time);

  const front_options options_;
  const std::function<void(const std::string&)> tell_;
  std::vector<child> agents_;
  std::mt19937 draw_{20260101};
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
};

} // namespace farm
