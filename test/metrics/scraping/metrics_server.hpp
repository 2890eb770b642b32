#pragma once

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "support/patience.hpp"

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace scraping {

/// Serves what a collector shows, and counts how often it was scraped.
class metrics_server {
public:
  explicit metrics_server(const libpool::metrics_collector& shown) {
    server_.Get("/metrics",
                [&, this](const httplib::Request&, httplib::Response& to) {
                  note();
                  to.set_content(shown.exposition(), "text/plain");
                });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
  }

  metrics_server(const metrics_server&) = delete;
  metrics_server& operator=(const metrics_server&) = delete;

  ~metrics_server() {
    while (!server_.is_running())
      std::this_thread::yield();
    server_.stop();
    thread_.join();
  }

  int port() const {
    return port_;
  }

  std::size_t scrapes() {
    std::lock_guard<std::mutex> guard{mutex_};
    return scrapes_;
  }

  /// Waits until Prometheus has what there is now: when it asks for the second
  /// time from now, it has stored what it was answered the first time.
  void await_stored() {
    std::unique_lock<std::mutex> guard{mutex_};
    auto goal = scrapes_ + 2;
    if (!scraped_.wait_for(guard, test::patience,
                           [&] { return scrapes_ >= goal; }))
      throw std::runtime_error("Prometheus does not scrape");
  }

private:
  void note() {
    std::lock_guard<std::mutex> guard{mutex_};
    ++scrapes_;
    scraped_.notify_all();
  }

  httplib::Server server_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable scraped_;
  std::size_t scrapes_ = 0;
  std::thread thread_;
};

} // namespace scraping
