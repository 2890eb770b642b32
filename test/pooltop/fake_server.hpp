#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace test {

/// A server that answers as it is told, at any port of this machine; in the
/// beginning, with busy pools.
///
/// Threads: its functions may be called from all threads.
class fake_server {
public:
  fake_server();
  ~fake_server();

  fake_server(const fake_server&) = delete;
  fake_server& operator=(const fake_server&) = delete;

  /// What it answers from now on, at the path of pools.
  void answer(const std::string& body, int status = 200);

  /// It takes requests from now on, and answers none of them.
  void fall_silent();

  /// It answers again, also those that it has taken.
  void speak();

  /// From now on its answers come in small pieces, and do not end.
  void drip();

  /// Waits for the next request, for so long at most.
  bool is_asked_within(std::chrono::milliseconds time);

  /// A header of the latest request.
  std::string header(const std::string& name) const;

  std::string url() const;

private:
  struct state;

  std::unique_ptr<state> state_;
};

} // namespace test
