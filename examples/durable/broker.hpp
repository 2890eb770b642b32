#pragma once

#include "nats.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace durable {

/// A job that nobody tries any more.
struct dead_letter {
  std::string path;
  std::string why;
};

/// The streams of a NATS server that hold jobs, and dead ones; they are made if
/// they are not there.
///
/// Errors: std::runtime_error.
/// Threads: one at a time.
class broker {
public:
  static constexpr const char* jobs = "JOBS";
  static constexpr const char* job_subject = "jobs.new";
  /// The consumer of the jobs, which all processes that work are together.
  static constexpr const char* workers = "workers";
  static constexpr const char* dead = "DEAD_JOBS";
  static constexpr const char* dead_subject = "jobs.dead";

  explicit broker(const std::string& url);

  /// On return the server has written the job to its files. Whether it is new:
  /// the server remembers for two minutes what was submitted.
  bool submit(const std::string& path);

  void bury(const dead_letter& letter);

  /// How many jobs there are that nobody has acknowledged.
  std::uint64_t count_jobs();

  std::vector<dead_letter> dead_letters();

  /// Waits until the server has what was sent, for two seconds at most.
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
