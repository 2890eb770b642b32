/// A flaky HTTP server for the gateway to call: delays each answer, and fails
/// some. Which ones, and how long, follows from the seed and the order of the
/// requests. The target /counts tells the numbers of requests so far.

#include "http_server.hpp"

#include "console/parsing.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>

namespace {

namespace asio = gateway::asio;
using std::chrono::nanoseconds;

struct options {
  std::uint16_t port = 0;
  std::uint64_t seed = 1;
  double failures = 0.1;
  double delay_ms = 10;
  /// Seconds in the header Retry-After of failed requests; 0: no header.
  std::uint32_t retry_after = 0;
};

class flaky {
public:
  flaky(asio::io_context& in, const options& options)
    : in_(in),
      drawn_(options.seed),
      fails_(options.failures),
      retry_after_(options.retry_after),
      server_(in, "127.0.0.1", options.port,
              [this](const auto& source) { take(source); }) {
    if (options.delay_ms > 0)
      delay_ms_ = std::exponential_distribution<>{1 / options.delay_ms};
    else
      has_delay_ = false;
  }

  std::uint16_t port() const {
    return server_.port();
  }

  void close() {
    server_.close();
  }

  std::string counts() const {
    return "requests " + std::to_string(requests_) + ", failed "
           + std::to_string(failed_) + ", abandoned "
           + std::to_string(abandoned_);
  }

private:
  void take(const std::shared_ptr<gateway::exchange>& exchange) {
    if (exchange->asked().target() == "/counts")
      return exchange->answer(gateway::make_response(200, counts() + '\n'));
    ++requests_;
    const auto fails = fails_(drawn_);
    const auto ms = has_delay_ ? delay_ms_(drawn_) : 0;
    auto timer = std::make_shared<asio::steady_timer>(
      in_, nanoseconds{static_cast<nanoseconds::rep>(ms * 1e6)});
    exchange->on_gone([this, timer] {
      ++abandoned_;
      timer->cancel();
    });
    timer->async_wait([this, exchange, fails, timer](auto why) {
      if (why)
        return;
      failed_ += fails ? 1 : 0;
      exchange->answer(fails ? failure()
                             : gateway::make_response(200, content(*exchange)));
    });
  }

  gateway::response failure() const {
    auto result = gateway::make_response(503, "failed by the seed\n");
    if (retry_after_ > 0)
      result.set(gateway::http::field::retry_after,
                 std::to_string(retry_after_));
    return result;
  }

  static std::string content(const gateway::exchange& exchange) {
    const auto target = exchange.asked().target();
    return "answer to " + std::string{target.data(), target.size()} + '\n';
  }

  asio::io_context& in_;
  std::mt19937_64 drawn_;
  std::bernoulli_distribution fails_;
  std::uint32_t retry_after_;
  std::exponential_distribution<> delay_ms_;
  bool has_delay_ = true;
  std::uint64_t requests_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t abandoned_ = 0;
  gateway::http_server server_;
};

void run(const options& options) {
  asio::io_context io{1};
  flaky served{io, options};
  asio::signal_set caught{io, SIGINT, SIGTERM};
  caught.async_wait([&](auto, int) { served.close(); });
  std::cerr << "gateway_upstream: serves at port " << served.port()
            << std::endl;
  io.run();
  std::cerr << "gateway_upstream: " << served.counts() << std::endl;
}

} // namespace

int main(int argc, char** argv) {
  options options;
  CLI::App app{"Answers HTTP requests late, and fails some of them.",
               "gateway_upstream"};
  app.add_option("--port", options.port, "Port at 127.0.0.1; 0: any free port")
    ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the failures and delays")
    ->capture_default_str();
  app
    .add_option("--failures", options.failures,
                "Share of the requests that are answered with 503")
    ->check(CLI::Range(0.0, 1.0))
    ->capture_default_str();
  app
    .add_option("--delay-ms", options.delay_ms,
                "Mean delay of an answer, exponentially distributed")
    ->check(CLI::Range(0.0, 3.6e6))
    ->capture_default_str();
  app
    .add_option("--retry-after", options.retry_after,
                "Seconds in the header Retry-After of failed requests; 0: no "
                "header")
    ->capture_default_str();
  try {
    app.parse(argc, argv);
    run(options);
    return EXIT_SUCCESS;
  } catch (const CLI::ParseError& why) {
    return console::end_parsing(app, why, "Try 'gateway_upstream --help'.");
  } catch (const std::exception& why) {
    std::cerr << "gateway_upstream: " << why.what() << '\n';
    return EXIT_FAILURE;
  }
}
