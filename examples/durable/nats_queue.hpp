#pragma once

#include "broker.hpp"
#include "job_queue.hpp"
#include "nats.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace durable {

/// Jobs of a NATS server, which all processes with such a queue share.
class nats_queue final : public job_queue {
public:
  /// A job of which the server has heard nothing for `ack_wait` is delivered
  /// again. The last process to come decides how long that is.
  ///
  /// Errors: std::runtime_error.
  nats_queue(const std::string& url, duration ack_wait);

  nats_queue(const nats_queue&) = delete;
  nats_queue& operator=(const nats_queue&) = delete;

  ~nats_queue() override;

  std::vector<delivery> take(std::size_t most, duration patience) override;
  void done(const delivery& job) override;
  void again(const delivery& job, duration pause) override;
  void bury(const delivery& job, const std::string& why) override;
  void still_working() override;
  bool is_empty() override;

private:
  delivery delivery_of(nats::message message);
  nats::message let_go(const delivery& job);

  broker broker_;
  nats::subscription subscription_;
  std::map<std::uint64_t, nats::message> taken_;
  std::uint64_t last_number_ = 0;
};

} // namespace durable
