#pragma once

#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace test {

/// Where handlers wait, for as long as their tasks say, or until it is opened.
class turnstile {
public:
  /// Returns after that time, or earlier if it is opened.
  void pass(std::chrono::microseconds within) {
    std::unique_lock guard{mutex_};
    opened_.wait_for(guard, within, [this] { return is_open_; });
  }

  void open() {
    std::lock_guard guard{mutex_};
    is_open_ = true;
    opened_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Far longer than a test.
constexpr std::chrono::microseconds until_opened = std::chrono::hours{1};

/// A worker: a message names its flow and how long it takes, in microseconds.
inline caf::behavior passing(caf::event_based_actor* self,
                             const std::shared_ptr<turnstile>& gate) {
  return {[self, gate](const std::string& flow, std::int64_t time) {
    gate->pass(std::chrono::microseconds{time});
    if (flow == "unlucky")
      self->quit(crash_reason);
    return time;
  }};
}

/// Goes by the first element of a message.
inline libpool::flow_options by_name() {
  libpool::flow_options result;
  result.flow_of = [](const libpool::message_content& content) {
    return libpool::flow_key{content.get_as<std::string>(0)};
  };
  return result;
}

/// A pool whose workers are at a turnstile, which is opened at the end.
struct live_world {
  explicit live_world(std::size_t workers, libpool::managed_options how = {},
                      bool threads = true) {
    how.workers = workers;
    how.leases = false;
    pool = libpool::actor_pool::make(
      system, workers,
      [this, threads] {
        return threads ? system.spawn<caf::detached>(passing, gate)
                       : system.spawn(passing, gate);
      },
      libpool::actor_pool::fair_queuing(by_name(), std::move(how)));
  }

  live_world(const live_world&) = delete;
  live_world& operator=(const live_world&) = delete;

  ~live_world() {
    gate->open();
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  void send(const std::string& flow, std::chrono::microseconds time,
            int times = 1) const {
    for (auto i = 0; i < times; ++i)
      caf::anon_send(pool, flow, std::int64_t{time.count()});
  }

  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(pool);
  }

  std::shared_ptr<turnstile> gate = std::make_shared<turnstile>();
  config settings;
  caf::actor_system system{settings};
  caf::actor pool;
};

} // namespace test
