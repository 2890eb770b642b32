#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace test {

/// A connection to a port of this machine by which a test sends bytes as it
/// likes.
class raw_connection {
public:
  /// Connects. A call that takes longer than `most_seconds` fails.
  explicit raw_connection(std::uint16_t port, int most_seconds = 20)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval most{most_seconds, 0};
    for (auto each : {SO_RCVTIMEO, SO_SNDTIMEO})
      ::setsockopt(socket_, SOL_SOCKET, each, &most, sizeof(most));
    auto at_once = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to))
        != 0) {
      ::close(socket_);
      throw std::runtime_error{"the server does not listen"};
    }
  }

  raw_connection(const raw_connection&) = delete;
  raw_connection& operator=(const raw_connection&) = delete;

  ~raw_connection() {
    ::close(socket_);
  }

  int socket() const {
    return socket_;
  }

  void send(const std::string& bytes) const {
    static_cast<void>(
      ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }

  /// Reads until the other side has closed the connection; returns false if it
  /// does not.
  bool is_closed_by_other() const {
    errno = 0;
    rest();
    return errno == 0 || errno == ECONNRESET;
  }

  /// Returns the bytes that come until the connection is closed.
  std::string rest() const {
    std::string result;
    std::array<char, 4096> read{};
    auto n = ::recv(socket_, read.data(), read.size(), 0);
    for (; n > 0; n = ::recv(socket_, read.data(), read.size(), 0))
      result.append(read.data(), static_cast<std::size_t>(n));
    return result;
  }

private:
  int socket_;
};

} // namespace test
