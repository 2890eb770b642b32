#pragma once

#include <caf/actor_system.hpp>
#include <caf/serializer_impl.hpp>

#include <string>
#include <string_view>

namespace libpool {

/// Returns the id of the node of `system` as bytes: the last bytes of each
/// serialized handle of an actor of the system. Empty if the system has no
/// module for other nodes. The result is valid in this thread until the next
/// call.
const std::string& node_bytes(caf::actor_system& system);

/// Exception: the content has a handle of an actor.
struct handle_in_content {};

/// Buffer for the bytes that CAF writes, up to a handle of an actor of the
/// given node. Writing stops there, because CAF would register the actor after
/// it has written the id of the node.
class content_bytes {
public:
  using value_type = char;

  /// @pre `node` outlives this object
  explicit content_bytes(const std::string& node) : node_(node) {
    // nop
  }

  std::size_t size() const noexcept {
    return bytes_.size();
  }

  char* data() noexcept {
    return bytes_.data();
  }

  std::string::iterator end() noexcept {
    return bytes_.end();
  }

  /// Adds bytes. Throws `handle_in_content` if the bytes so far end with the id
  /// of the node.
  void insert(std::string::iterator string, const char* first,
              const char* last) {
    bytes_.insert(string, first, last);
    if (ends_with_node())
      throw handle_in_content{};
  }

  std::string take() noexcept {
    return std::move(bytes_);
  }

private:
  bool ends_with_node() const noexcept {
    return !node_.empty() && bytes_.size() >= node_.size()
           && bytes_.compare(bytes_.size() - node_.size(), node_.size(), node_)
                == 0;
  }

  const std::string& node_;
  std::string bytes_;
};

using content_writer = caf::serializer_impl<content_bytes>;

} // namespace libpool
