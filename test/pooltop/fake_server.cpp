#include "pooltop/fake_server.hpp"

#include "pooltop/samples.hpp"

#include <httplib.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace test {

struct fake_server::state {
  std::mutex guard;
  std::condition_variable changed;
  std::string body = test::busy_pools();
  int status = 200;
  bool is_silent = false;
  bool is_dripping = false;
  bool has_ended = false;
  std::size_t requests = 0;
  httplib::Headers latest;
  httplib::Server server;
  int port = 0;
  std::thread thread;

  void take(const httplib::Request& from, httplib::Response& to) {
    std::unique_lock lock{guard};
    latest = from.headers;
    ++requests;
    changed.notify_all();
    changed.wait(lock, [this] { return !is_silent || has_ended; });
    to.status = status;
    if (is_dripping)
      to.set_chunked_content_provider(
        "application/json",
        [this](std::size_t, httplib::DataSink& sink) { return drop(sink); });
    else
      to.set_content(body, "application/json");
  }

  bool drop(httplib::DataSink& to) {
    std::unique_lock lock{guard};
    changed.wait_for(lock, std::chrono::milliseconds{50},
                     [this] { return has_ended; });
    return !has_ended && to.write(" ", 1);
  }

  void end() {
    {
      const std::lock_guard lock{guard};
      has_ended = true;
      changed.notify_all();
    }
    server.stop();
    thread.join();
  }
};

fake_server::fake_server() : state_(std::make_unique<state>()) {
  auto& is = *state_;
  is.server.Get("/api/v1/pools",
                [&is](const auto& from, auto& to) { is.take(from, to); });
  is.port = is.server.bind_to_any_port("127.0.0.1");
  if (is.port <= 0)
    throw std::runtime_error("there is no port for a server");
  is.thread = std::thread{[&is] { is.server.listen_after_bind(); }};
}

fake_server::~fake_server() {
  state_->end();
}

void fake_server::answer(const std::string& body, int status) {
  const std::lock_guard lock{state_->guard};
  state_->body = body;
  state_->status = status;
}

void fake_server::fall_silent() {
  const std::lock_guard lock{state_->guard};
  state_->is_silent = true;
}

void fake_server::speak() {
  const std::lock_guard lock{state_->guard};
  state_->is_silent = false;
  state_->changed.notify_all();
}

void fake_server::drip() {
  const std::lock_guard lock{state_->guard};
  state_->is_silent = false;
  state_->is_dripping = true;
  state_->changed.notify_all();
}

bool fake_server::is_asked_within(std::chrono::milliseconds time) {
  std::unique_lock lock{state_->guard};
  const auto before = state_->requests;
  return state_->changed.wait_for(lock, time,
                                  [&] { return state_->requests > before; });
}

std::string fake_server::header(const std::string& name) const {
  const std::lock_guard lock{state_->guard};
  const auto found = state_->latest.find(name);
  return found == state_->latest.end() ? "" : found->second;
}

std::string fake_server::url() const {
  return "http://127.0.0.1:" + std::to_string(state_->port);
}

} // namespace test
