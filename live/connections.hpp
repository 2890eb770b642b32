#pragma once

#include <mutex>
#include <set>

namespace libpool::live {

/// Open sockets of a server, which can be ended while they are in use.
///
/// Threads: any.
class connections {
public:
  /// Use of a socket by a thread. The socket is closed at the end.
  class use {
  public:
    use(connections& of, int socket);
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use();

  private:
    connections& of_;
    int socket_;
  };

  /// Ends sending and receiving on all sockets, including later ones. Threads
  /// that wait for a socket continue.
  void end();

private:
  std::mutex mutex_;
  std::set<int> sockets_;
  bool is_over_ = false;
};

} // namespace libpool::live
