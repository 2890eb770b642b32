/// `relay PORT`: stands between programs of this machine and the one that
/// listens at the port, as a line that can fail. Prints the port at which it
/// listens itself, and obeys lines of input: `stall` lets nothing pass until
/// `go`, `reset` breaks off all connections. Says `done` after each.

#include <boost/asio.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <istream>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Whether bytes pass, and who waits for that.
struct line {
  bool stalls = false;
  std::list<std::function<void()>> waiting;

  void pass(std::function<void()> what) {
    if (stalls)
      waiting.push_back(std::move(what));
    else
      what();
  }

  void go() {
    stalls = false;
    for (auto& each : std::exchange(waiting, {}))
      each();
  }
};

class connection : public std::enable_shared_from_this<connection> {
public:
  connection(line& on, tcp::socket client, tcp::socket server)
    : line_(on), client_(std::move(client)), server_(std::move(server)) {
    // nop
  }

  void start() {
    copy(client_, server_, up_);
    copy(server_, client_, down_);
  }

  /// Without the goodbye of TCP, as where a line is cut.
  void reset() {
    for (auto* each : {&client_, &server_}) {
      error_code ignored;
      each->set_option(asio::socket_base::linger{true, 0}, ignored);
      each->close(ignored);
    }
  }

private:
  using buffer = std::array<char, 65536>;

  void copy(tcp::socket& from, tcp::socket& to, buffer& bytes) {
    from.async_read_some(asio::buffer(bytes),
                         [this, self = shared_from_this(), &from, &to,
                          &bytes](error_code failed, std::size_t n) {
                           if (failed)
                             return close();
                           line_.pass([this, self, &from, &to, &bytes, n] {
                             write(from, to, bytes, n);
                           });
                         });
  }

  void write(tcp::socket& from, tcp::socket& to, buffer& bytes, std::size_t n) {
    asio::async_write(to, asio::buffer(bytes, n),
                      [this, self = shared_from_this(), &from, &to,
                       &bytes](error_code failed, std::size_t) {
                        if (failed)
                          close();
                        else
                          copy(from, to, bytes);
                      });
  }

  void close() {
    error_code ignored;
    client_.close(ignored);
    server_.close(ignored);
  }

  line& line_;
  tcp::socket client_;
  tcp::socket server_;
  buffer up_{};
  buffer down_{};
};

class relay {
public:
  relay(asio::io_context& context, std::uint16_t port)
    : context_(context),
      target_(asio::ip::address_v4::loopback(), port),
      acceptor_(context, {asio::ip::address_v4::loopback(), 0}),
      input_(context, ::dup(0)) {
    std::cout << acceptor_.local_endpoint().port() << std::endl;
    accept();
    read_command();
  }

private:
  void accept() {
    acceptor_.async_accept([this](error_code failed, tcp::socket client) {
      if (!failed)
        connect(std::move(client));
      accept();
    });
  }

  /// A server that is not there is one that refuses.
  void connect(tcp::socket client) {
    tcp::socket server{context_};
    error_code failed;
    server.connect(target_, failed);
    if (failed)
      return;
    for (auto* each : {&client, &server})
      each->set_option(tcp::no_delay{true}, failed);
    auto made = std::make_shared<connection>(line_, std::move(client),
                                             std::move(server));
    connections_.remove_if([](const auto& each) { return each.expired(); });
    connections_.push_back(made);
    made->start();
  }

  void read_command() {
    asio::async_read_until(input_, commands_, '\n',
                           [this](error_code failed, std::size_t) {
                             if (failed)
                               return context_.stop();
                             std::string command;
                             std::istream stream{&commands_};
                             std::getline(stream, command);
                             obey(command);
                             std::cout << "done" << std::endl;
                             read_command();
                           });
  }

  void obey(const std::string& command) {
    if (command == "stall")
      line_.stalls = true;
    else if (command == "go")
      line_.go();
    else if (command == "reset")
      for (auto& each : connections_)
        if (auto open = each.lock())
          open->reset();
  }

  asio::io_context& context_;
  tcp::endpoint target_;
  tcp::acceptor acceptor_;
  asio::posix::stream_descriptor input_;
  asio::streambuf commands_;
  line line_;
  std::list<std::weak_ptr<connection>> connections_;
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: relay PORT\n";
    return EXIT_FAILURE;
  }
  asio::io_context context;
  relay between{context, static_cast<std::uint16_t>(std::atoi(argv[1]))};
  context.run();
}
