#include "libpool/live/connections.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace libpool::live {

namespace {

/// Reads and discards the rest of the input. Otherwise closing the socket could
/// discard output that the client has not read.
void read_rest(int socket) {
  std::array<char, 4096> rest{};
  constexpr auto most_reads = 64;
  for (auto i = 0; i < most_reads; ++i)
    if (::recv(socket, rest.data(), rest.size(), MSG_DONTWAIT) <= 0)
      return;
}

} // namespace

connections::use::use(connections& of, int socket) : of_(of), socket_(socket) {
  std::lock_guard guard{of_.mutex_};
  of_.sockets_.insert(socket_);
  if (of_.is_over_)
    ::shutdown(socket_, SHUT_RDWR);
}

connections::use::~use() {
  ::shutdown(socket_, SHUT_WR);
  read_rest(socket_);
  std::lock_guard guard{of_.mutex_};
  of_.sockets_.erase(socket_);
  ::close(socket_);
}

void connections::end() {
  std::lock_guard guard{mutex_};
  is_over_ = true;
  for (auto each : sockets_)
    ::shutdown(each, SHUT_RDWR);
}

} // namespace libpool::live
