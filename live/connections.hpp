#pragma once

#include <mutex>
#include <set>

namespace libpool::live {

/// The sockets of a server, so that it can end while they are in use.
///
/// Threads: any.
class connections {
public:
  /// A socket in use by a thread; it is closed at the end.
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

  /// Ends what is sent and received on all sockets, also later ones. Threads
  /// that wait for one go on.
  void end();

private:
  std::mutex mutex_;
  std::set<int> sockets_;
  bool is_over_ = false;
};

} // namespace libpool::live
