#include "http_server.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace gateway {

namespace {

using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::seconds;

constexpr seconds for_request{30}; // also between requests
constexpr seconds for_answer{30};
constexpr seconds for_close{1};
constexpr std::chrono::milliseconds between_accepts{100}; // after an error
constexpr std::size_t most_header = 16 * 1024;
constexpr std::size_t most_content = 1024 * 1024;
constexpr std::size_t most_ahead = 64 * 1024; // received before the answer
constexpr std::size_t piece = 4096;

boost::beast::string_view view_of(std::string_view text) {
  return {text.data(), text.size()};
}

} // namespace

response make_response(unsigned status, std::string body,
                       std::string_view type) {
  response result;
  result.result(status);
  result.set(http::field::content_type, view_of(type));
  result.body() = std::move(body);
  return result;
}

std::string header_of(const request& asked, std::string_view name) {
  const auto value = asked[view_of(name)];
  return {value.data(), value.size()};
}

struct http_server::parts {
  parts(asio::io_context& in, handler call)
    : acceptor(in), pause(in), answer(std::move(call)) {
    // nop
  }

  tcp::acceptor acceptor;
  asio::steady_timer pause;
  handler answer;
  std::set<session*> sessions;
  bool is_closed = false;
};

/// Connection of a client. Pending operations own the session.
class http_server::session : public exchange,
                             public std::enable_shared_from_this<session> {
public:
  session(tcp::socket socket, std::shared_ptr<parts> with)
    : socket_(std::move(socket)),
      due_(socket_.get_executor()),
      parts_(std::move(with)) {
    parts_->sessions.insert(this);
  }

  ~session() override {
    parts_->sessions.erase(this);
  }

  void read() {
    now_ = step::reading;
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(most_content);
    wait_at_most(for_request);
    http::async_read(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](auto why, auto) { self->was_read(why); });
  }

  const request& asked() const override {
    return request_;
  }

  void answer(response reply) override {
    if (now_ != step::answering)
      return;
    now_ = step::writing;
    gone_ = nullptr;
    reply_ = std::move(reply);
    reply_.version(request_.version());
    reply_.keep_alive(request_.keep_alive() && !parts_->is_closed);
    reply_.prepare_payload();
    wait_at_most(for_answer);
    http::async_write(
      socket_, reply_,
      [self = shared_from_this()](auto why, auto) { self->was_written(why); });
  }

  void on_gone(std::function<void()> call) override {
    if (now_ == step::answering)
      gone_ = std::move(call);
  }

  bool is_idle() const {
    return now_ == step::reading || now_ == step::idle;
  }

  void close() {
    if (std::exchange(now_, step::closed) == step::closed)
      return;
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    due_.cancel();
    if (auto gone = std::exchange(gone_, nullptr))
      gone();
  }

private:
  enum class step { reading, answering, writing, idle, ending, closed };

  void was_read(error_code why) {
    if (now_ == step::closed)
      return;
    const auto is_http =
      why.category()
      == http::make_error_code(http::error::end_of_stream).category();
    if (why
        && (!is_http || why == http::error::end_of_stream
            || why == http::error::partial_message))
      return close();
    now_ = step::answering;
    due_.cancel();
    request_ = why ? request{} : parser_->release();
    if (why) {
      request_.keep_alive(false);
      answer(make_response(400, "the request is not valid: " + why.message()
                                  + '\n'));
      return;
    }
    receive();
    parts_->answer(shared_from_this());
  }

  /// Receives what comes before the answer, to see the end of the connection.
  void receive() {
    is_receiving_ = true;
    socket_.async_read_some(buffer_.prepare(piece), [self = shared_from_this()](
                                                      auto why, std::size_t n) {
      self->received(why, n);
    });
  }

  void received(error_code why, std::size_t bytes) {
    is_receiving_ = false;
    buffer_.commit(bytes);
    if (now_ == step::idle && (!why || why == asio::error::operation_aborted))
      return read();
    if (why)
      return close();
    if (now_ == step::ending)
      buffer_.clear();
    if (now_ != step::closed && buffer_.size() < most_ahead)
      receive();
  }

  void was_written(error_code why) {
    if (now_ == step::closed)
      return;
    if (why)
      return close();
    now_ = reply_.keep_alive() ? step::idle : step::ending;
    if (now_ == step::ending) {
      socket_.shutdown(tcp::socket::shutdown_send, why);
      wait_at_most(for_close);
      if (!is_receiving_)
        receive();
    } else if (!is_receiving_)
      read();
    else if (buffer_.size() > 0)
      socket_.cancel(); // the next request has begun to come
    else
      wait_at_most(for_request);
  }

  void wait_at_most(seconds time) {
    due_.expires_after(time);
    due_.async_wait([self = shared_from_this()](error_code why) {
      if (!why)
        self->close();
    });
  }

  tcp::socket socket_;
  asio::steady_timer due_;
  std::shared_ptr<parts> parts_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  request request_;
  response reply_;
  std::function<void()> gone_;
  step now_ = step::reading;
  bool is_receiving_ = false;
};

http_server::http_server(asio::io_context& in, const std::string& address,
                         std::uint16_t port, handler answer)
  : parts_(std::make_shared<parts>(in, std::move(answer))) {
  try {
    const tcp::endpoint endpoint{asio::ip::make_address(address), port};
    auto& acceptor = parts_->acceptor;
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address{true});
    acceptor.bind(endpoint);
    acceptor.listen();
  } catch (const boost::system::system_error& why) {
    throw std::runtime_error("cannot listen at " + address + " port "
                             + std::to_string(port) + ": "
                             + why.code().message());
  }
  accept(parts_);
}

std::uint16_t http_server::port() const {
  return parts_->acceptor.local_endpoint().port();
}

void http_server::accept(const std::shared_ptr<parts>& with) {
  with->acceptor.async_accept([with](error_code why, tcp::socket socket) {
    if (with->is_closed)
      return;
    if (!why) {
      std::make_shared<session>(std::move(socket), with)->read();
      return accept(with);
    }
    with->pause.expires_after(between_accepts); // too many open files, say
    with->pause.async_wait([with](error_code) {
      if (!with->is_closed)
        accept(with);
    });
  });
}

void http_server::close() {
  if (std::exchange(parts_->is_closed, true))
    return;
  parts_->acceptor.close();
  parts_->pause.cancel();
  auto all = parts_->sessions; // sessions leave when they are closed
  for (auto* each : all)
    if (each->is_idle())
      each->close();
}

} // namespace gateway
