#include "libpool/live/http_server.hpp"

#include "libpool/live/socket_stream.hpp"

#include <sys/socket.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace libpool::live {

namespace {

/// Restores the action for SIGPIPE at the end. httplib ignores the signal for
/// the whole process, which is the program's decision.
class kept_sigpipe {
public:
  kept_sigpipe() {
    ::sigaction(SIGPIPE, nullptr, &before_);
  }

  kept_sigpipe(const kept_sigpipe&) = delete;
  kept_sigpipe& operator=(const kept_sigpipe&) = delete;

  ~kept_sigpipe() {
    ::sigaction(SIGPIPE, &before_, nullptr);
  }

private:
  struct sigaction before_ {};
};

/// Threads that are made meanwhile get no signals: these are the program's.
class no_signals {
public:
  no_signals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }

  no_signals(const no_signals&) = delete;
  no_signals& operator=(const no_signals&) = delete;

  ~no_signals() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t before_{};
};

/// httplib's own options share the port with other processes that want it.
void set_options(int socket) {
  auto yes = 1;
  auto most_unread = 256 * 1024; // of each connection, which inherits it
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &most_unread, sizeof most_unread);
}

constexpr auto most_payload = 4096;

/// The threads as httplib knows them.
class task_queue final : public httplib::TaskQueue {
public:
  explicit task_queue(connection_threads& to) : to_(to) {
    // nop
  }

  void enqueue(std::function<void()> connection) override {
    to_.enqueue(std::move(connection));
  }

  void shutdown() override {
    to_.shutdown();
  }

private:
  connection_threads& to_;
};

} // namespace

bool http_server::server::process_and_close_socket(socket_t socket) {
  connections::use use{open_, socket};
  socket_stream stream{socket};
  auto is_closed = false;
  return process_request(stream, true, is_closed, nullptr);
}

void http_server::server::let_wait(int clients) {
  ::listen(svr_sock_, clients);
}

http_server::http_server(const std::string& address, std::uint16_t port,
                         std::size_t most_threads, handler answer)
  : threads_(most_threads) {
  {
    kept_sigpipe kept;
    server_ = std::make_unique<server>(open_);
  }
  set_up(std::move(answer));
  bind(address, port);
  start();
}

void http_server::set_up(handler answer) {
  server_->new_task_queue = [this] { return new task_queue{threads_}; };
  server_->set_socket_options(set_options);
  server_->set_payload_max_length(most_payload);
  server_->set_pre_routing_handler(
    [answer = std::move(answer)](const auto& request, auto& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
}

void http_server::bind(const std::string& address, std::uint16_t port) {
  auto bound = -1;
  if (port == 0)
    bound = server_->bind_to_any_port(address);
  else if (server_->bind_to_port(address, port))
    bound = port;
  if (bound <= 0)
    throw std::runtime_error("libpool: live_view: cannot listen at " + address
                             + ", port " + std::to_string(port));
  port_ = static_cast<std::uint16_t>(bound);
  constexpr auto clients = 128;
  server_->let_wait(clients);
}

/// Returns when the server listens, before which it cannot be stopped.
void http_server::start() {
  no_signals none;
  listening_ = std::thread{[this] {
    server_->listen_after_bind();
    has_ended_ = true;
  }};
  while (!server_->is_running() && !has_ended_)
    std::this_thread::yield();
}

http_server::~http_server() {
  open_.end();
  threads_.end();
  server_->stop();
  listening_.join();
}

} // namespace libpool::live
