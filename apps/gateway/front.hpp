#pragma once

#include "account.hpp"
#include "courier.hpp"
#include "http_server.hpp"
#include "options.hpp"
#include "tenants.hpp"

#include "libpool/observability/metrics/metrics_collector.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace gateway {

/// The HTTP front: makes each request of a known tenant a task of the pool.
/// Used in the thread that runs the `io_context`.
class front {
public:
  /// @pre `in` and `system` outlive this object
  front(asio::io_context& in, caf::actor_system& system, const options& options,
        tenants known);

  front(const front&) = delete;
  front& operator=(const front&) = delete;
  ~front();

  const caf::actor& pool() const {
    return pool_;
  }

  std::uint16_t port() const {
    return clients_.port();
  }

  std::uint16_t admin_port() const {
    return admin_.port();
  }

  /// Reads the tenants file again, and replaces all tenants and limits.
  ///
  /// Errors: std::runtime_error; nothing has changed.
  void reload();

  /// Accepts no more requests. When all are answered, `ended` is called once,
  /// and the `io_context` has no work of the front any more.
  void drain(std::function<void()> ended);

  /// Returns the ledger as JSON in one line.
  std::string ledger() const;

private:
  struct open_request {
    std::shared_ptr<exchange> from;
    tenant who;
    std::chrono::steady_clock::time_point begun;
  };

  caf::actor make_pool(caf::actor_system& system);
  caf::actor make_courier(caf::actor_system& system);
  void take(const std::shared_ptr<exchange>& exchange);
  void refuse(const std::shared_ptr<exchange>& exchange, unsigned status,
              const std::string& why);
  void serve_admin(const std::shared_ptr<exchange>& exchange);
  void answered(std::uint64_t number, answer with);
  void gone(std::uint64_t number);
  void note(const open_request& request, unsigned status);
  void end_if_drained();

  asio::io_context& in_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  const options how_;
  tenants known_;
  /// Number of retries after errors, which the pool counts.
  const std::shared_ptr<std::atomic<std::uint64_t>> retries_;
  caf::actor pool_;
  caf::actor courier_;
  account account_;
  libpool::metrics_collector collector_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, open_request> open_;
  std::function<void()> ended_; // set while the front drains
  bool is_drained_ = false;
  http_server clients_;
  http_server admin_;
};

} // namespace gateway
