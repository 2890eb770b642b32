#include "worker.hpp"

#include "http_server.hpp"

#include "libpool/actors/this_task.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace gateway {

namespace {

using asio::ip::tcp;
using boost::system::error_code;
using clock = std::chrono::steady_clock;
using result = caf::result<std::int32_t, std::string, std::string>;

constexpr std::size_t most_content = 8 * 1024 * 1024;
/// Time after which a worker that is asked to stop does so, at the latest.
constexpr std::chrono::milliseconds between_looks{10};

/// One call to the upstream, over a connection of its own.
class call {
public:
  call(const tcp::endpoint& endpoint, const request& what) : what_(what) {
    answer_.body_limit(most_content);
    answer_.skip(what.method() == http::verb::head);
    socket_.async_connect(endpoint, [this](error_code why) { connected(why); });
  }

  /// Waits for the answer, at most until the time.
  ///
  /// Errors: std::runtime_error if no answer comes, or if the task is asked to
  ///         stop.
  response wait(clock::time_point until, const libpool::running_task& task) {
    while (!end_ && clock::now() < until && !task.stop_requested())
      io_.run_for(between_looks);
    if (end_ && !*end_)
      return answer_.release();
    const auto why = end_                    ? end_->message()
                     : task.stop_requested() ? "the call was cancelled"
                                             : "no answer in time";
    error_code ignored;
    socket_.close(ignored);
    io_.restart();
    io_.run(); // until no operation refers to this object
    throw std::runtime_error(why);
  }

private:
  void connected(error_code why) {
    if (why)
      end_ = why;
    else
      http::async_write(socket_, what_,
                        [this](auto failed, auto) { sent(failed); });
  }

  void sent(error_code why) {
    if (why)
      end_ = why;
    else
      http::async_read(socket_, buffer_, answer_,
                       [this](auto failed, auto) { end_ = failed; });
  }

  asio::io_context io_{1};
  tcp::socket socket_{io_};
  const request& what_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> answer_;
  std::optional<error_code> end_;
};

request request_for(const upstream& upstream, const std::string& method,
                    const std::string& target, const std::string& content) {
  request out;
  out.method_string(method);
  out.target(target);
  out.set(http::field::host, upstream.name);
  out.keep_alive(false);
  out.body() = content;
  out.prepare_payload();
  return out;
}

bool is_idempotent(const std::string& method) {
  return method == "GET" || method == "HEAD" || method == "PUT"
         || method == "DELETE" || method == "OPTIONS";
}

bool may_pass(unsigned status) {
  return status == 502 || status == 503 || status == 504;
}

/// Returns the time that the header Retry-After names in seconds; unset if the
/// header is missing or is a date.
std::optional<std::chrono::seconds> retry_after_of(const response& answer) {
  const auto text = answer[http::field::retry_after];
  std::int32_t seconds = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (text.empty() || read.ec != std::errc{} || read.ptr != end || seconds < 0)
    return std::nullopt;
  return std::chrono::seconds{seconds};
}

/// The error of an idempotent call that the upstream has answered with it. The
/// time after which the upstream wants to be called again is the time of
/// `libpool::retry_after`.
caf::error error_of(const response& answer) {
  const auto why = "the upstream answered "
                   + std::to_string(answer.result_int());
  const auto time = retry_after_of(answer);
  return time
           ? caf::make_error(caf::sec::runtime_error, why, caf::timespan{*time})
           : caf::make_error(caf::sec::runtime_error, why);
}

result failed(const std::string& method, const std::string& why) {
  if (is_idempotent(method))
    return caf::make_error(caf::sec::runtime_error, why);
  return {std::int32_t{502}, std::string{"text/plain"}, why + '\n'};
}

} // namespace

tcp::endpoint address_of(const std::string& upstream) {
  const auto colon = upstream.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw std::runtime_error("the upstream must be HOST:PORT, got '" + upstream
                             + "'");
  asio::io_context io;
  error_code why;
  const auto found = tcp::resolver{io}.resolve(upstream.substr(0, colon),
                                               upstream.substr(colon + 1), why);
  if (why)
    throw std::runtime_error("cannot find the upstream '" + upstream
                             + "': " + why.message());
  return found.begin()->endpoint();
}

caf::behavior worker(caf::event_based_actor* self, const upstream& upstream) {
  return {[self, upstream](const std::string&, std::uint64_t,
                           const std::string& method, const std::string& target,
                           const std::string& content,
                           caf::timespan) -> result {
    const auto task = libpool::this_task(self);
    const auto what = request_for(upstream, method, target, content);
    try {
      auto answer =
        call{upstream.at, what}.wait(clock::now() + upstream.timeout, task);
      const auto status = answer.result_int();
      if (may_pass(status) && is_idempotent(method))
        return error_of(answer);
      const auto type = answer[http::field::content_type];
      return {static_cast<std::int32_t>(status),
              std::string{type.data(), type.size()}, std::move(answer.body())};
    } catch (const std::runtime_error& why) {
      return failed(method, why.what());
    }
  }};
}

} // namespace gateway
