/// How the agent of a node begins and ends, and its state.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/node_agent.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <utility>

namespace libpool {

void node_agent::begin() {
  self_ = reach(address());
  auto first = [this](host_ptr here) {
    heard_at_ = now();
    note_client();
    watch_system();
    watch(actor_behind(pool_), *this, pool_number);
    if (!how_.is_for_client)
      pool_behind<inner_pool>(pool_)->outer().add(address(), pool_number);
    open_transport(here);
  };
  act(first, nullptr);
}

void node_agent::watch_system() {
  auto& server = home_system().spawn_serv();
  if (server == nullptr)
    return;
  system_ = caf::actor_cast<caf::actor_addr>(server);
  watch(*server->get(), *this, system_number);
}

// -- deaths -------------------------------------------------------------------

void node_agent::worker_died(worker_number number, const caf::error&,
                             host_ptr host) {
  act([=](host_ptr here) { died(number, here); }, host);
}

void node_agent::died(worker_number number, host_ptr host) {
  // A system that waits for its actors does not end before the agent.
  if (number == system_number && !home_system().await_actors_before_shutdown())
    end(caf::exit_reason::user_shutdown, false, host);
  else if (number == pool_number)
    leave(make_error(errc::pool_closed, "the local pool has ended"), host);
}

// -- leaving ------------------------------------------------------------------

void node_agent::drain(caf::mailbox_element& element, host_ptr host) {
  if (element.mid.is_request())
    drainers_.push_back(take_return_path(element));
  leave(caf::exit_reason::user_shutdown, host);
}

/// Begins no more tasks. Waits for the tasks that have begun, even if the local
/// pool has ended.
void node_agent::leave(const caf::error& why, host_ptr host) {
  if (leaves_)
    return;
  leaves_ = why;
  end_.leave();
  carry_out(host);
}

/// Ends the agent if its node has left or was dismissed. A node that leaves
/// waits for the pool's confirmation for at most 10 s after its last task.
void node_agent::end_if_over(host_ptr host) {
  constexpr duration patience = std::chrono::seconds{10};
  if (end_.has_left())
    end(*leaves_, true, host);
  else if (end_.is_dismissed())
    end(make_error(errc::pool_closed, "the pool has dismissed the node"), false,
        host);
  else if (leaves_ && end_.running() == 0 && gives_up_at_ == never)
    gives_up_at_ = later(now(), patience);
}

// -- the end ------------------------------------------------------------------

/// Ends the agent at once. Has no effect if the agent has ended already.
void node_agent::end(const caf::error& reason, bool has_left, host_ptr host) {
  if (std::exchange(has_ended_, true))
    return;
  line_ = nullptr;
  waker_.set(never);
  if (auto server = caf::actor_cast<caf::strong_actor_ptr>(system_))
    unwatch(*server->get(), *this, system_number);
  unwatch(actor_behind(pool_), *this, pool_number);
  if (!how_.is_for_client)
    send_exit(pool_,
              caf::make_message(
                caf::exit_msg{address(), caf::exit_reason::user_shutdown}),
              host);
  caf::message gone =
    caf::make_message(caf::make_error(caf::sec::request_receiver_down));
  for (auto& each : std::exchange(drainers_, {}))
    answer(std::move(each), self_, has_left ? caf::message{} : gone, host);
  if (cleanup(caf::error{reason}, host))
    unregister_from_system();
  let_go();
}

/// Releases what the agent refers to, unless the local pool has elements, which
/// refer to the agent and to that pool.
void node_agent::let_go() {
  if (!has_ended_ || carriers_out_ > 0)
    return;
  pool_ = nullptr;
  self_ = nullptr;
}

// -- asking -------------------------------------------------------------------

agent_state node_agent::state() {
  return ask([this] { return collect_state(); });
}

/// Returns why the pool cannot be reached, or that the pool does not answer;
/// empty if the pool answers.
caf::error node_agent::trouble() const {
  constexpr duration patience = std::chrono::seconds{1};
  auto allowed = session_ ? beginning_time(end_.link().lease()) : patience;
  if (trouble_ || leaves_ || now() < later(heard_at_, allowed))
    return trouble_;
  return make_error(errc::not_connected, "the pool does not answer");
}

agent_state node_agent::collect_state() const {
  agent_state result;
  if (auto session = end_.link().session())
    result.session = static_cast<std::uint64_t>(*session);
  result.trouble = trouble();
  result.running = end_.running();
  result.waiting = end_.waiting();
  result.done = done_;
  result.strays = strays_;
  return result;
}

} // namespace libpool
