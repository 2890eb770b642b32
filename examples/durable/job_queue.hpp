#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace durable {

using duration = std::chrono::milliseconds;

/// A job that the queue has delivered to this process.
struct delivery {
  /// Number of this delivery in this process.
  std::uint64_t number = 0;
  /// Number of deliveries of the job to any process, including this one.
  std::uint64_t attempt = 1;
  /// File to hash.
  std::string path;
};

/// Interface of a durable queue, as a pool needs it.
///
/// Each delivery ends with `done`, `again` or `bury`. If such a report is lost
/// with the server or this process, the job is delivered again.
///
/// Threads: one at a time.
class job_queue {
public:
  job_queue() = default;

  job_queue(const job_queue&) = delete;
  job_queue& operator=(const job_queue&) = delete;

  virtual ~job_queue();

  /// Returns at most `most` jobs. Returns none if no job comes within
  /// `patience`, or if the server is unreachable.
  virtual std::vector<delivery> take(std::size_t most, duration patience) = 0;

  /// Reports that the job is done. The queue forgets it.
  virtual void done(const delivery& job) = 0;

  /// Returns the job to the queue. It is delivered again after the pause or
  /// later.
  virtual void again(const delivery& job, duration pause) = 0;

  /// Moves the job from the queue to the dead letters.
  virtual void bury(const delivery& job, const std::string& why) = 0;

  /// Reports that all jobs of this process are being worked on. Without such
  /// reports, the queue counts the jobs as lost and delivers them to other
  /// processes.
  virtual void still_working() = 0;

  /// Whether the queue has no job, not even one that a process works on.
  virtual bool is_empty() = 0;
};

} // namespace durable
