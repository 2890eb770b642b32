#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace durable {

using duration = std::chrono::milliseconds;

/// A job, as the queue has handed it to this process.
struct delivery {
  /// Of this delivery, in this process.
  std::uint64_t number = 0;
  /// How often the job was delivered to anybody, this time included.
  std::uint64_t attempt = 1;
  /// The file to hash.
  std::string path;
};

/// All that a pool needs of a durable queue.
///
/// Each delivery ends with `done`, `again` or `bury`. What is told may get lost
/// with the server or this process: the job is delivered again then.
///
/// Threads: one at a time.
class job_queue {
public:
  job_queue() = default;

  job_queue(const job_queue&) = delete;
  job_queue& operator=(const job_queue&) = delete;

  virtual ~job_queue();

  /// At most so many jobs, and none if none has come in time, or if the server
  /// is away.
  virtual std::vector<delivery> take(std::size_t most, duration patience) = 0;

  /// The job is done: the queue forgets it.
  virtual void done(const delivery& job) = 0;

  /// The job goes back, and is delivered again after the pause at the earliest.
  virtual void again(const delivery& job, duration pause) = 0;

  /// The job leaves the queue for the dead letters.
  virtual void bury(const delivery& job, const std::string& why) = 0;

  /// All jobs that this process has are being worked on: otherwise the queue
  /// takes them for lost, and delivers them to others.
  virtual void still_working() = 0;

  /// Whether it holds no job at all, not even one that somebody works on.
  virtual bool is_empty() = 0;
};

} // namespace durable
