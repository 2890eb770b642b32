#include "libpool/actors/nodes/endpoint.hpp"

#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/nodes/node_agent.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include <memory>
#include <string>
#include <utility>

namespace libpool {

namespace {

/// Returns nullptr if the message is not a message batch, or is damaged.
std::shared_ptr<letter_to_agent> read_letter_in(caf::mailbox_element& element) {
  if (!content_of(element).match_elements<std::string>())
    return nullptr;
  auto content = take_content(element);
  auto letter = read_letter_to_node(content.get_as<std::string>(0));
  if (!letter)
    return nullptr;
  return std::make_shared<letter_to_agent>(
    letter_to_agent{std::move(content), *std::move(letter)});
}

class endpoint final : public delivering<endpoint, front_actor> {
public:
  endpoint(caf::actor_config& cfg, caf::actor_addr agent,
           std::uint64_t connection)
    : delivering(cfg), agent_(std::move(agent)), connection_(connection) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host) {
    auto handle = reach(agent_);
    if (handle == nullptr)
      return;
    auto& agent = *static_cast<node_agent*>(handle->get());
    if (element->mid.is_response())
      agent.bye_was_heard(connection_, host);
    else
      agent.letter_came(connection_, std::move(element->sender),
                        read_letter_in(*element), host);
  }

  const char* name() const override {
    return "libpool::node_endpoint";
  }

  void unreachable() override {
    end_unreachable(*this);
  }

private:
  caf::actor_addr agent_;
  std::uint64_t connection_;
};

} // namespace

caf::strong_actor_ptr make_endpoint(node_agent& agent,
                                    std::uint64_t connection) {
  caf::actor_config cfg;
  auto& system = agent.home_system();
  return caf::make_actor<endpoint, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg, agent.address(),
    connection);
}

void end_endpoint(caf::actor_control_block& endpoint, execution_context* host) {
  static_cast<front_actor*>(endpoint.get())
    ->cleanup(caf::exit_reason::user_shutdown, host);
}

} // namespace libpool
