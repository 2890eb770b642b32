#include "libpool/observability/live/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <fcntl.h>

#include <array>
#include <chrono>
#include <csignal>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace libpool::live {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::seconds;

constexpr seconds for_request{5};
constexpr seconds for_piece{2};
constexpr seconds for_close{1};
constexpr auto most_header = 16 * 1024;
constexpr auto most_content = 4096;      // which no address needs
constexpr auto most_unread = 256 * 1024; // of a reply
constexpr auto most_waiting = 128;       // clients without a connection

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

/// Programs that the process starts do not inherit the socket.
template <class Socket>
void keep_from_others(Socket& socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

std::string text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

reply refusal_of(error_code problem) {
  reply result;
  if (problem == http::error::header_limit)
    result.say(431, "the headers must be at most 16 KiB long");
  else if (problem == http::error::body_limit)
    result.say(413, "the content must be at most 4 KiB long");
  else
    result.say(400, "the request is not valid HTTP: " + problem.message());
  return result;
}

/// Connection with one request and its reply. Pending operations own the
/// connection.
class connection : public std::enable_shared_from_this<connection> {
public:
  connection(tcp::socket socket, const http_server::handler& answer,
             std::shared_ptr<void> place)
    : stream_(std::move(socket)),
      due_(stream_.get_executor(), instant{}),
      answer_(answer),
      place_(std::move(place)) {
    keep_from_others(stream_.socket());
    parser_.header_limit(most_header);
    parser_.body_limit(most_content);
  }

  void read() {
    stream_.expires_after(for_request);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](auto problem, auto) {
                              self->begin(problem ? refusal_of(problem)
                                                  : self->answer());
                            });
  }

private:
  reply answer() {
    try {
      return answer_(taken());
    } catch (const std::exception& why) {
      reply result;
      result.say(500, why.what());
      return result;
    }
  }

  request taken() {
    const auto& body = parser_.get();
    request result;
    result.set_target(text_of(body.target()));
    result.method = text_of(body.method_string());
    result.port = stream_.socket().local_endpoint().port();
    result.host = text_of(body[http::field::host]);
    result.authorization = text_of(body[http::field::authorization]);
    result.fetch_site = text_of(body["Sec-Fetch-Site"]);
    result.fetch_mode = text_of(body["Sec-Fetch-Mode"]);
    return result;
  }

  void begin(reply reply) {
    http::response<http::empty_body> head;
    head.result(static_cast<unsigned>(reply.status));
    for (const auto& [name, value] : reply.headers)
      head.set(name, value);
    if (reply.next == nullptr)
      head.content_length(reply.body.size());
    head.keep_alive(false);
    std::ostringstream text;
    text << head;
    if (parser_.get().method() != http::verb::head)
      reply_ = std::move(reply);
    put(text.str());
  }

  void put(std::string text) {
    output_ = std::move(text);
    written_ = 0;
    write();
  }

  void write() {
    stream_.expires_after(for_piece);
    stream_.async_write_some(
      asio::buffer(output_) + written_,
      [self = shared_from_this()](auto problem, std::size_t n) {
        if (!problem)
          self->go_on(n);
      });
  }

  void go_on(std::size_t written) {
    written_ += written;
    if (written_ < output_.size())
      write();
    else if (!reply_.body.empty())
      put(std::exchange(reply_.body, {}));
    else if (reply_.next != nullptr)
      due_.async_wait([self = shared_from_this()](auto) { self->add(); });
    else
      end();
  }

  void add() {
    auto part = reply_.next();
    due_.expires_at(part.next);
    put(std::move(part.text));
  }

  void end() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(for_close);
    discard_rest();
  }

  /// Closing a socket with unread input, such as content, could discard output
  /// that the client has not read.
  void discard_rest() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](auto problem, auto) {
                              if (!problem)
                                self->discard_rest();
                            });
  }

  beast::tcp_stream stream_;
  asio::steady_timer due_; // for the next part
  const http_server::handler& answer_;
  const std::shared_ptr<void> place_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  reply reply_; // what is not in the output yet
  std::string output_;
  std::size_t written_ = 0;
  std::array<char, 4096> rest_{};
};

} // namespace

/// Accepts connections, and runs them in a thread.
class http_server::listener {
public:
  listener(const std::string& address, std::uint16_t port,
           std::size_t most_connections, handler answer, task each_second)
    : answer_(std::move(answer)),
      each_second_(std::move(each_second)),
      most_(most_connections) {
    const tcp::endpoint end{asio::ip::make_address(address), port};
    acceptor_.open(end.protocol());
    keep_from_others(acceptor_);
    acceptor_.set_option(tcp::acceptor::reuse_address{true});
    // Connections inherit these options.
    acceptor_.set_option(tcp::socket::send_buffer_size{most_unread});
    acceptor_.set_option(tcp::no_delay{true});
    acceptor_.bind(end);
    acceptor_.listen(most_waiting);
    accept();
    if (each_second_ != nullptr)
      wait_for_second();
    const no_signals none;
    thread_ = std::thread{[this] { run(); }};
  }

  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  ~listener() {
    context_.stop();
    thread_.join();
    has_ended_ = true;
  }

  std::uint16_t port() const {
    return acceptor_.local_endpoint().port();
  }

private:
  /// An exception in a handler ends the connection of this handler only, one in
  /// a task nothing.
  void run() {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (...) {
        // The connection was destroyed with the handler.
      }
    }
  }

  /// @pre fewer than the maximum of connections are open
  void accept() {
    acceptor_.async_accept([this](auto problem, tcp::socket socket) {
      if (problem || !serve(std::move(socket)))
        accept_later();
    });
  }

  /// Returns whether further connections are accepted, now or when one ends.
  bool serve(tcp::socket socket) {
    auto accepts = false;
    try {
      auto place = take_place();
      accepts = open_ == most_;
      if (!accepts)
        accept();
      accepts = true;
      std::make_shared<connection>(std::move(socket), answer_, place)->read();
    } catch (const std::bad_alloc&) {
      // The client is disconnected.
    }
    return accepts;
  }

  /// Most likely, the process has no file descriptor or no memory left.
  void accept_later() {
    pause_.expires_after(std::chrono::milliseconds{100});
    pause_.async_wait([this](auto) { accept(); });
  }

  void wait_for_second() {
    second_.expires_after(seconds{1});
    second_.async_wait([this](auto) {
      wait_for_second();
      each_second_();
    });
  }

  std::shared_ptr<void> take_place() {
    ++open_;
    return {this, [](listener* owner) { owner->leave(); }};
  }

  void leave() {
    if (open_-- == most_ && !has_ended_)
      accept();
  }

  const handler answer_;
  const task each_second_;
  const std::size_t most_;
  std::size_t open_ = 0;
  bool has_ended_ = false;
  asio::io_context context_{1}; // owns the connections
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  asio::steady_timer second_{context_};
  std::thread thread_;
};

http_server::http_server(const std::string& address, std::uint16_t port,
                         std::size_t most_connections, handler answer,
                         task each_second) try
  : listener_(std::make_unique<listener>(address, port, most_connections,
                                         std::move(answer),
                                         std::move(each_second))),
    port_(listener_->port()) {
  // nop
} catch (const boost::system::system_error& why) {
  throw std::runtime_error("libpool: live_view: cannot listen at " + address
                           + ", port " + std::to_string(port) + ": "
                           + why.code().message());
}

http_server::~http_server() = default;

} // namespace libpool::live
