#pragma once

#include "pooltop/samples.hpp"

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace test {

/// A server that answers as it is told, at any port of this machine; in the
/// beginning, with busy pools.
///
/// Threads: its functions may be called from all threads.
class fake_server {
public:
  fake_server() {
    server_.Get("/api/v1/pools",
                [this](const auto& from, auto& to) { take(from, to); });
    server_.Post("/api/v1/pools/.*", [this](const auto& from, auto& to) {
      change([&] {
        order_ = from.target + ' ' + from.get_header_value("Authorization");
      });
      to.set_content("as ordered\n", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    if (port_ <= 0)
      throw std::runtime_error("no free port for a server");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
  }

  fake_server(const fake_server&) = delete;
  fake_server& operator=(const fake_server&) = delete;

  ~fake_server() {
    change([this] { has_ended_ = true; });
    server_.stop();
    thread_.join();
  }

  /// What it answers from now on, at the path of pools.
  void answer(const std::string& body, int status = 200) {
    change([&] {
      body_ = body;
      status_ = status;
    });
  }

  /// It takes requests from now on, and answers none of them.
  void fall_silent() {
    change([this] { is_silent_ = true; });
  }

  /// It answers again, also those that it has taken.
  void speak() {
    change([this] { is_silent_ = false; });
  }

  /// From now on its answers come in small pieces, and do not end.
  void drip() {
    change([this] {
      is_silent_ = false;
      is_dripping_ = true;
    });
  }

  /// Waits for the next request, for so long at most.
  bool is_asked_within(std::chrono::milliseconds time) {
    std::unique_lock lock{guard_};
    const auto before = requests_;
    return changed_.wait_for(lock, time, [&] { return requests_ > before; });
  }

  /// A header of the latest request.
  std::string header(const std::string& name) const {
    const std::lock_guard lock{guard_};
    const auto found = latest_.find(name);
    return found == latest_.end() ? "" : found->second;
  }

  /// The target and the token of the last request that changes a pool.
  std::string order() const {
    const std::lock_guard lock{guard_};
    return order_;
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }

private:
  template <class Change>
  void change(Change make) {
    const std::lock_guard lock{guard_};
    make();
    changed_.notify_all();
  }

  void take(const httplib::Request& from, httplib::Response& to) {
    std::unique_lock lock{guard_};
    latest_ = from.headers;
    ++requests_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_silent_ || has_ended_; });
    to.status = status_;
    if (is_dripping_)
      to.set_chunked_content_provider(
        "application/json",
        [this](std::size_t, httplib::DataSink& sink) { return drop(sink); });
    else
      to.set_content(body_, "application/json");
  }

  bool drop(httplib::DataSink& to) {
    std::unique_lock lock{guard_};
    changed_.wait_for(lock, std::chrono::milliseconds{50},
                      [this] { return has_ended_; });
    return !has_ended_ && to.write(" ", 1);
  }

  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::string body_ = busy_pools();
  int status_ = 200;
  bool is_silent_ = false;
  bool is_dripping_ = false;
  bool has_ended_ = false;
  std::size_t requests_ = 0;
  std::string order_;
  httplib::Headers latest_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

} // namespace test
