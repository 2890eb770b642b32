#include "libpool/nodes/actors/client_registry.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/nodes/actors/boot_clock.hpp"
#include "libpool/nodes/actors/node_agent.hpp"
#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"

#include <algorithm>
#include <mutex>
#include <random>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

bool is_call(std::string_view message) {
  auto opened = open_envelope(message);
  auto read = opened ? read_batch_to_node(opened->batch) : std::nullopt;
  return read && !read->rejected
         && std::holds_alternative<call>(read->batch.content);
}

incarnation draw_incarnation() {
  std::random_device entropy;
  return incarnation{std::uint64_t{entropy()} << 32U | entropy()};
}

} // namespace

/// The lines to all clients over one transport. The transport ends with this
/// object, which the registry and all lines share.
class client_registry::lines final
  : public std::enable_shared_from_this<lines> {
public:
  explicit lines(caf::actor_addr registry) : registry_(std::move(registry)) {
    // nop
  }

  void open(const transport_opener& opener) {
    auto made = opener(std::make_shared<ear>(weak_from_this()));
    std::lock_guard guard{mutex_};
    shared_ = std::move(made);
  }

  /// Opens the line to one client.
  std::shared_ptr<transport>
  line_to(const std::string& client,
          const std::shared_ptr<transport_user>& agent) {
    {
      std::lock_guard guard{mutex_};
      agents_[client] = agent;
    }
    agent->came_up();
    return std::make_shared<line>(shared_from_this(), client);
  }

private:
  void heard(const std::string& source, received_bytes message) {
    std::shared_ptr<transport_user> agent;
    {
      std::lock_guard guard{mutex_};
      if (auto found = agents_.find(source); found != agents_.end())
        agent = found->second;
    }
    if (agent != nullptr)
      agent->heard({}, std::move(message));
    else if (is_call(message.bytes))
      call_actor<client_registry>(
        registry_, [&](auto& registry) { registry.called(source); });
  }

  /// Passes the calls of the transport on to the agents, while the lines live.
  class ear final : public transport_user {
  public:
    explicit ear(std::weak_ptr<lines> all) : all_(std::move(all)) {
      // nop
    }

    void heard(const std::string& source, received_bytes message) override {
      if (auto all = all_.lock())
        all->heard(source, std::move(message));
    }

    void came_up() override {
      for (const auto& each : agents())
        each->came_up();
    }

    void went_down(const std::string& why) override {
      for (const auto& each : agents())
        each->went_down(why);
    }

    void closed() override {
      // nop
    }

  private:
    std::vector<std::shared_ptr<transport_user>> agents() {
      auto all = all_.lock();
      return all != nullptr ? all->all_agents()
                            : std::vector<std::shared_ptr<transport_user>>{};
    }

    const std::weak_ptr<lines> all_;
  };

  class line final : public transport {
  public:
    line(std::shared_ptr<lines> all, std::string client)
      : all_(std::move(all)), client_(std::move(client)) {
      // nop
    }

    line(const line&) = delete;
    line& operator=(const line&) = delete;

    ~line() override {
      all_->drop(client_);
    }

    void say(const std::string&, std::string_view message) override {
      if (auto shared = all_->shared())
        shared->say(client_, message);
    }

    std::size_t most_bytes() const noexcept override {
      auto shared = all_->shared();
      return shared != nullptr ? shared->most_bytes() : 0;
    }

  private:
    const std::shared_ptr<lines> all_;
    const std::string client_;
  };

  std::shared_ptr<transport> shared() {
    std::lock_guard guard{mutex_};
    return shared_;
  }

  void drop(const std::string& client) {
    std::lock_guard guard{mutex_};
    agents_.erase(client);
  }

  std::vector<std::shared_ptr<transport_user>> all_agents() {
    std::lock_guard guard{mutex_};
    std::vector<std::shared_ptr<transport_user>> result;
    result.reserve(agents_.size());
    for (const auto& each : agents_)
      result.push_back(each.second);
    return result;
  }

  const caf::actor_addr registry_;
  std::mutex mutex_;
  std::shared_ptr<transport> shared_;
  std::map<std::string, std::shared_ptr<transport_user>> agents_;
};

client_registry::client_registry(caf::actor_config& cfg, caf::actor pool,
                                 const detail::client_terms& limits)
  : delivering(cfg, std::move(pool)), limits_(limits) {
  // nop
}

void client_registry::serve(const transport_opener& open) {
  lines_ = std::make_shared<lines>(address());
  open_with([&] { lines_->open(open); });
}

void client_registry::called(const std::string& client) {
  act([this, client](execution_context*) { make_agent(client); }, nullptr);
}

void client_registry::make_agent(const std::string& client) {
  if (agents_.count(client) > 0)
    return;
  node_setup setup;
  setup.open = [to = lines_,
                client](const std::shared_ptr<transport_user>& agent) {
    return to->line_to(client, agent);
  };
  setup.now = boot_time;
  setup.run = draw_incarnation();
  setup.offer.slots = limits_.messages;
  setup.offer.credit = limits_.credit;
  setup.offer.turn = limits_.turn;
  setup.who.name = client;
  setup.is_for_client = true;
  auto agent = new_actor<node_agent>(home_system(), pool_, std::move(setup));
  worker_number number{++last_agent_};
  agents_.emplace(client, number);
  watch(actor_behind(agent), *this, number);
  static_cast<node_agent&>(actor_behind(agent)).begin();
}

void client_registry::note_end(worker_number number, execution_context* host) {
  if (number == number_of_pool)
    return pool_guest::note_end(number, host);
  auto is_it = [number](const auto& each) { return each.second == number; };
  auto found = std::find_if(agents_.begin(), agents_.end(), is_it);
  if (found != agents_.end())
    agents_.erase(found);
}

/// Agents notice the end of the pool by themselves.
void client_registry::release() {
  lines_ = nullptr;
}

caf::actor make_client_registry(const caf::actor& pool,
                                const detail::client_terms& limits) {
  return new_actor<client_registry>(actor_behind(pool).home_system(), pool,
                                    limits);
}

} // namespace libpool
