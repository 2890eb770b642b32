#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

namespace libpool::live {

/// Stream from which httplib reads a request, and to which it writes the
/// response. In contrast to httplib's own streams, it gives up a client that
/// takes too long: for the whole request, or for one piece of the response.
class socket_stream final : public httplib::Stream {
public:
  explicit socket_stream(int socket);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override {
    return socket_;
  }

private:
  using clock = std::chrono::steady_clock;

  bool fill();

  const int socket_;
  const clock::time_point request_until_;
  std::array<char, 4096> buffer_{};
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  bool is_stalled_ = false;
};

} // namespace libpool::live
