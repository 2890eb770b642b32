#pragma once

#include "nats.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace durable {

/// A job that is not tried any more, with the reason.
struct dead_letter {
  std::string path;
  std::string why;
};

/// Streams of a NATS server for jobs and for dead jobs. They are created if
/// they do not exist.
///
/// Errors: std::runtime_error.
/// Threads: one at a time.
class broker {
public:
  static constexpr const char* jobs = "JOBS";
  static constexpr const char* job_subject = "jobs.new";
  /// Name of the consumer of jobs, which all working processes share.
  static constexpr const char* workers = "workers";
  static constexpr const char* dead = "DEAD_JOBS";
  static constexpr const char* dead_subject = "jobs.dead";

  explicit broker(const std::string& url);

  /// Submits a job. On return, the server has written the job to its files.
  /// Returns whether the job is new: the server remembers submitted jobs for
  /// two minutes.
  bool submit(const std::string& path);

  void bury(const dead_letter& letter);

  /// Number of jobs that were not acknowledged.
  std::uint64_t count_jobs();

  std::vector<dead_letter> dead_letters();

  /// Waits until the server has received everything that was sent; at most two
  /// seconds.
  void flush() noexcept;

  jsCtx* jetstream() noexcept {
    return jetstream_.get();
  }

private:
  void add_stream(const char* name, const char* subject,
                  jsRetentionPolicy retention);
  nats::stream_info info_of(const char* stream);
  nats::message message_at(const char* stream, std::uint64_t number);

  nats::connection connection_;
  nats::jetstream jetstream_;
};

} // namespace durable
