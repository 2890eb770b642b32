#include "libpool/nodes/protocol/local_lines.hpp"

#include <utility>

namespace libpool {

namespace {

received_bytes copy_of(std::string_view message) {
  auto owner = std::make_shared<const std::string>(message);
  return {owner, *owner};
}

} // namespace

/// The node's end of the line between one node and the pool.
class local_lines::node_line final : public transport {
public:
  node_line(std::weak_ptr<local_lines> lines, std::string name)
    : lines_(std::move(lines)), name_(std::move(name)) {
    // nop
  }

  node_line(const node_line&) = delete;
  node_line& operator=(const node_line&) = delete;

  ~node_line() override {
    if (auto lines = lines_.lock())
      lines->disconnect(name_);
  }

  void say(const std::string&, std::string_view message) override {
    if (auto lines = lines_.lock())
      lines->say_to_pool(name_, message);
  }

  std::size_t most_bytes() const noexcept override {
    return std::numeric_limits<std::size_t>::max();
  }

private:
  const std::weak_ptr<local_lines> lines_;
  const std::string name_;
};

local_lines::local_lines(std::shared_ptr<transport_user> pool)
  : pool_(std::move(pool)) {
  // nop
}

std::shared_ptr<transport>
local_lines::connect(std::shared_ptr<transport_user> node) {
  std::string name;
  {
    std::lock_guard guard{mutex_};
    name = std::to_string(++last_);
    if (!is_closed_)
      nodes_.emplace(name, node);
    else
      name.clear();
  }
  if (name.empty())
    node->closed();
  else
    node->came_up();
  return std::make_shared<node_line>(weak_from_this(), name);
}

void local_lines::close() {
  std::map<std::string, std::shared_ptr<transport_user>> all;
  {
    std::lock_guard guard{mutex_};
    is_closed_ = true;
    all.swap(nodes_);
  }
  for (auto& each : all)
    each.second->closed();
}

void local_lines::say(const std::string& target, std::string_view message) {
  std::shared_ptr<transport_user> node;
  {
    std::lock_guard guard{mutex_};
    if (auto found = nodes_.find(target); found != nodes_.end())
      node = found->second;
  }
  if (node != nullptr)
    node->heard({}, copy_of(message));
}

void local_lines::say_to_pool(const std::string& source,
                              std::string_view message) {
  pool_->heard(source, copy_of(message));
}

void local_lines::disconnect(const std::string& node) {
  std::lock_guard guard{mutex_};
  nodes_.erase(node);
}

} // namespace libpool
