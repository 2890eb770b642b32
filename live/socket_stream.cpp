#include "libpool/live/socket_stream.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace libpool::live {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds for_request{5};
constexpr milliseconds for_piece{2000};

/// Whether that happens in time, or the connection is over.
bool comes(int socket, short event, milliseconds within) {
  pollfd asked{socket, event, 0};
  auto wait = static_cast<int>(std::max<milliseconds::rep>(within.count(), 0));
  return ::poll(&asked, 1, wait) > 0;
}

using name_of_end = int (*)(int, sockaddr*, socklen_t*);

void look_up(int socket, name_of_end which, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  // The type by which sockets are told of addresses.
  auto* end = static_cast<sockaddr*>(static_cast<void*>(&address));
  if (which(socket, end, &size) != 0
      || ::getnameinfo(end, size, host.data(), host.size(), service.data(),
                       service.size(), NI_NUMERICHOST | NI_NUMERICSERV)
           != 0)
    return;
  ip = host.data();
  port = std::atoi(service.data());
}

} // namespace

socket_stream::socket_stream(int socket)
  : socket_(socket), request_until_(clock::now() + for_request) {
  // nop
}

bool socket_stream::is_readable() const {
  using std::chrono::duration_cast;
  return first_ < last_
         || comes(socket_, POLLIN,
                  duration_cast<milliseconds>(request_until_ - clock::now()));
}

bool socket_stream::is_writable() const {
  return !is_stalled_ && comes(socket_, POLLOUT, for_piece);
}

bool socket_stream::fill() {
  if (!is_readable())
    return false;
  auto got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  first_ = 0;
  last_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0;
}

ssize_t socket_stream::read(char* to, std::size_t size) {
  if (first_ == last_ && !fill())
    return -1;
  auto n = std::min(size, last_ - first_);
  std::memcpy(to, buffer_.data() + first_, n);
  first_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t socket_stream::write(const char* from, std::size_t size) {
  if (is_writable()) {
    auto sent = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0)
      return sent;
    if (errno == EINTR || errno == EAGAIN)
      return 0;
  }
  is_stalled_ = true;
  return -1;
}

void socket_stream::get_remote_ip_and_port(std::string& ip, int& port) const {
  look_up(socket_, ::getpeername, ip, port);
}

void socket_stream::get_local_ip_and_port(std::string& ip, int& port) const {
  look_up(socket_, ::getsockname, ip, port);
}

} // namespace libpool::live
