#pragma once

#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/thread_signal.hpp"
#include "libpool/nodes/nats/work_streams.hpp"

#include <nats/nats.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace libpool {

/// Fetches submissions of a queue in a thread of its own, by the pull
/// subscription of the C client.
///
/// Threads: one at a time, except `wake`. The functions that a fetcher gets are
///          called in its thread.
class work_fetcher {
public:
  /// What a fetcher calls.
  struct user {
    /// Returns the number of submissions that there is room for.
    std::function<std::size_t()> room;
    /// Receives a submission.
    std::function<void(message_owner submission)> fetched;
    /// Called once if the queue cannot be used: the streams may be missing.
    std::function<void()> failed;
  };

  explicit work_fetcher(user calls) : calls_(std::move(calls)) {
    // nop
  }

  work_fetcher(const work_fetcher&) = delete;
  work_fetcher& operator=(const work_fetcher&) = delete;

  ~work_fetcher() {
    close();
  }

  /// Begins to fetch through a line, which must stay open until `close`.
  /// Returns why it is impossible; empty on success.
  ///
  /// @pre it is closed
  std::string open(const stream_line& line, const work_streams& streams);

  /// Ends the thread, which can take as long as a call of `fetched`.
  void close();

  /// Has the fetcher look for room again. Threads: any.
  void wake() {
    signal_.wake();
  }

private:
  void run(natsConnection* connection);
  natsStatus fetch(std::size_t most, bool waits);

  const user calls_;
  subscription_owner subscription_;
  thread_signal signal_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace libpool
