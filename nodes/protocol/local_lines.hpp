#pragma once

#include "libpool/export.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace libpool {

/// Transport of a pool and its nodes within one process. No message is lost.
/// Messages are handled in the thread that sends them.
class LIBPOOL_EXPORT local_lines final
  : public transport,
    public std::enable_shared_from_this<local_lines> {
public:
  /// Makes the transport of a pool, which receives messages as `pool`.
  explicit local_lines(std::shared_ptr<transport_user> pool);

  /// Opens the line between a node and the pool.
  std::shared_ptr<transport> connect(std::shared_ptr<transport_user> node);

  /// Tells all nodes that the pool has ended, including nodes that connect
  /// later.
  void close();

  void say(const std::string& target, std::string_view message) override;

  std::size_t most_bytes() const noexcept override {
    return std::numeric_limits<std::size_t>::max();
  }

private:
  class node_line;

  void say_to_pool(const std::string& source, std::string_view message);
  void disconnect(const std::string& node);

  const std::shared_ptr<transport_user> pool_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<transport_user>> nodes_;
  std::uint64_t last_ = 0;
  bool is_closed_ = false;
};

} // namespace libpool
