#include "libpool/nodes/actors/node_registry.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/node_proxy.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

/// Number under which the pool is watched. Connections are numbered from 1.
constexpr worker_number number_of_pool{0};

/// The messages of a key stay at their node, in order.
node_terms terms_of(const managed_setup& setup) {
  node_terms result;
  result.lease = setup.nodes->lease;
  result.portion = setup.nodes->portion;
  result.credit = setup.nodes->credit;
  result.most_in_flight = setup.nodes->most_in_flight;
  result.shares = setup.key_of == nullptr;
  return result;
}

/// Returns the number of the first task, drawn at random: a node may still run
/// tasks of an earlier run of the pool under their old numbers.
task_number random_task() {
  std::random_device source;
  auto high = std::uint64_t{source()} << 31U;
  return task_number{high ^ source()};
}

/// Returns the epoch of a run of the pool that begins now. A later run has a
/// higher epoch.
std::uint64_t epoch_of_now() {
  return static_cast<std::uint64_t>(
    std::chrono::system_clock::now().time_since_epoch().count());
}

/// Passes the calls of a transport on to the registry.
class registry_ear final : public actor_ear<node_registry, transport_user> {
public:
  registry_ear(caf::actor_addr registry, node_registry::line_number number)
    : actor_ear(std::move(registry)), number_(number) {
    // nop
  }

  void heard(const std::string& source, received_bytes message) override {
    pass([&](node_registry& registry) {
      registry.heard(number_, source, std::move(message));
    });
  }

  void came_up() override {
    went_down({});
  }

  void went_down(const std::string& why) override {
    pass([&](node_registry& registry) { registry.line_changed(number_, why); });
  }

  void closed() override {
    // nop
  }

private:
  const node_registry::line_number number_;
};

} // namespace

node_registry::node_registry(caf::actor_config& cfg, const caf::actor& pool,
                             const managed_setup& setup,
                             waiting_switch keep_waiting)
  : delivering(cfg),
    pool_(caf::actor_cast<caf::actor_addr>(pool)),
    options_(*setup.nodes),
    retries_(std::holds_alternative<retry>(setup.on_crash)),
    patience_(setup.patience),
    keep_waiting_(keep_waiting),
    pauses_(epoch_of_now()),
    end_(terms_of(setup)),
    next_task_(random_task()),
    local_(std::make_shared<local_lines>(
      std::make_shared<registry_ear>(address(), line_number{0}))),
    lines_{{local_, {}, epoch_of_now(), false}} {
  adopts_until_ = later(now(), options_.lease);
  watch(actor_behind(pool), *this, number_of_pool);
}

node_registry::~node_registry() = default;

caf::actor make_node_registry(const caf::actor& pool,
                              const managed_setup& setup,
                              waiting_switch keep_waiting) {
  return new_actor<node_registry>(actor_behind(pool).home_system(), pool, setup,
                                  keep_waiting);
}

instant node_registry::now() const {
  return clock_of(home_system()).now();
}

nodes_stats node_registry::stats() {
  return ask([this] { return collect_stats(); });
}

nodes_stats node_registry::collect_stats() const {
  nodes_stats result;
  for (const auto& [session, proxy] : proxies_) {
    auto basis = end_.sessions().sessions().find(session);
    auto told = end_.wants(session);
    if (basis == end_.sessions().sessions().end() || !told)
      continue;
    const auto& who = connections_.at(basis->second.by).who;
    node_stats node;
    node.worker = proxy;
    node.name = who.name;
    node.labels = who.labels;
    node.window = told->window;
    node.slots = told->slots;
    node.in_flight = end_.in_flight(session);
    node.bytes_under_way = end_.under_way(session);
    node.service = told->service;
    node.round_trip = told->round_trip;
    node.bandwidth = end_.bandwidth(session);
    node.silence = std::max(now() - basis->second.heard, duration{0});
    result.nodes.push_back(std::move(node));
  }
  result.batches = batches_;
  result.strays = strays_ + end_.strays();
  result.turned_away = turned_away_;
  result.joined = joined_;
  result.lost = lost_;
  result.resumed = resumed_;
  result.epoch = lines_.empty() ? 0 : lines_.back().epoch;
  for (const auto& each : lines_)
    if (!each.problem.empty())
      result.unreachable.push_back(each.problem);
  return result;
}

// -- facts --------------------------------------------------------------------

/// Calls `call` when its turn comes, unless the registry has ended by then: the
/// system may have ended as well.
void node_registry::act(command call, host_ptr host) {
  tell(
    [this, call = std::move(call)](host_ptr here) {
      if (!has_ended_)
        call(here);
    },
    host);
}

void node_registry::submit(worker_number session,
                           caf::mailbox_element_ptr element, host_ptr host) {
  auto shared = std::make_shared<caf::mailbox_element_ptr>(std::move(element));
  tell([this, session, shared](host_ptr) { take(session, std::move(*shared)); },
       host);
}

void node_registry::note(
  std::function<void(node_connections&, instant now)> fact, host_ptr host) {
  act([this, fact = std::move(fact)](host_ptr) { fact(end_, now()); }, host);
}

void node_registry::worker_died(worker_number, const caf::error&,
                                host_ptr host) {
  tell([this](host_ptr here) { end(here); }, host);
}

void node_registry::serve(const transport_opener& open,
                          std::optional<std::uint64_t> turn) {
  auto number = ask([this, turn] {
    if (!has_ended_)
      register_at_system(); // threads of the transport call the registry
    adopts_until_ = later(now(), options_.lease);
    lines_.push_back(
      {nullptr, {}, turn.value_or(epoch_of_now()), turn.has_value()});
    return lines_.size() - 1;
  });
  auto opened = open(std::make_shared<registry_ear>(address(), number));
  auto keep = [this, number, opened](host_ptr) {
    if (!has_ended_)
      lines_[number].way = opened;
    next_call_ = never; // call at once
  };
  tell(keep, nullptr);
}

std::shared_ptr<transport>
node_registry::connect(std::shared_ptr<transport_user> node) {
  return local_->connect(std::move(node));
}

void node_registry::heard(line_number number, const std::string& source,
                          received_bytes message) {
  auto take_message = [this, number, source,
                       message = std::move(message)](host_ptr) {
    take_batch({number, source}, message);
  };
  tell(take_message, nullptr);
}

void node_registry::line_changed(line_number number, std::string why) {
  act([this, number,
       why = std::move(why)](host_ptr) { lines_[number].problem = why; },
      nullptr);
}

void node_registry::time_is_up(host_ptr host) {
  auto time_has_passed = [this](host_ptr here) {
    auto time = now();
    if (!waker_.has_come(time))
      return;
    auto is_tick = end_.next_tick() <= time;
    if (is_tick)
      end_.ticked(time);
    if (!is_tick && !end_.sessions().sessions().empty())
      return;
    carry_out(here); // some peers may have to get messages first
    forget_silent_peers();
  };
  act(time_has_passed, host);
}

/// Forgets the connections of nodes whose sessions have ended.
void node_registry::forget_silent_peers() {
  for (auto i = connections_.begin(); i != connections_.end();) {
    auto& each = i->second;
    auto lives = has_session(each);
    if (!lives)
      by_peer_.erase(each.with);
    i = lives ? std::next(i) : connections_.erase(i);
  }
}

void node_registry::received(caf::mailbox_element_ptr element, host_ptr host) {
  if (element->content().match_elements<caf::exit_msg>())
    return end(host);
  ++strays_;
  refuse(*element, ctrl(), host);
}

void node_registry::handled_all(host_ptr host) {
  if (has_ended_)
    return;
  carry_out(host);
  if (end_.has_to_flush() && end_.flush_at() <= now())
    end_.flush(now());
  carry_out(host);
  results_.clear();
  unread_.clear();
  if (patience_)
    note_fronts();
  give_orphans_up(host);
  set_waker();
}

/// Calls fronts while none serves this client. Meanwhile, messages wait for at
/// most `patience_`.
void node_registry::note_fronts() {
  if (!proxies_.empty()) {
    pauses_.succeeded();
    if (next_call_ != never)
      wait_for_fronts(true);
    next_call_ = out_of_patience_ = never;
    return;
  }
  auto time = now();
  if (next_call_ == never) {
    next_call_ = time;
    out_of_patience_ = later(time, *patience_);
  }
  if (time >= next_call_) {
    next_call_ = later(time, pauses_.failed());
    auto bytes = bytes_of(batch_to_node{{}, call{}}, {}, envelope_room);
    for (line_number i = 1; i < lines_.size(); ++i)
      say({i, {}}, {}, bytes);
  }
  if (time >= out_of_patience_) {
    out_of_patience_ = never;
    wait_for_fronts(false);
  }
}

/// Sets whether messages of a client wait if no front serves.
void node_registry::wait_for_fronts(bool wait) {
  if (auto pool = reach(pool_))
    keep_waiting_(*pool->get(), wait);
}

/// Sets the waker to the next due time. A waker that is set too early is kept:
/// replacing its time costs more than waking up too early.
void node_registry::set_waker() {
  if (has_ended_)
    return;
  auto due = std::min({end_.next_tick(), end_.flush_at(), next_call_,
                       out_of_patience_, next_orphan()});
  if (due < waker_.due())
    waker_.set(due);
}

// -- the end ----------------------------------------------------------------

/// Ends the registry, because the pool has ended. Nodes are expelled, and their
/// tasks are lost.
void node_registry::end(host_ptr host) {
  if (std::exchange(has_ended_, true))
    return;
  leave_nodes_to_next();
  auto proxies = proxies_;
  for (const auto& each : proxies)
    end_.expelled(each.first);
  carry_out(host);
  for (auto& each : std::exchange(tasks_, {})) // that wait for a retry
    if (tracked_element::from(*each.second.element) != nullptr)
      lose(each.second, host);
  orphans_.clear();
  connections_.clear();
  by_peer_.clear();
  lines_.clear();
  local_->close();
  waker_.set(never);
  results_.clear();
  cleanup(caf::exit_reason::user_shutdown, host);
  unregister_from_system();
}

/// Ends sessions without a bye, after which an agent would end.
void node_registry::leave_nodes_to_next() {
  for (const auto& [session, which] : end_.sessions().sessions()) {
    auto found = connections_.find(which.by);
    if (found == connections_.end()
        || !lines_[found->second.with.first].keeps_nodes)
      continue;
    send(found->second, batch_to_node{session, gone{session}});
    connections_.erase(found);
  }
}

// -- decisions of node_connections --------------------------------------------

void node_registry::carry_out(host_ptr host) {
  while (!end_.decisions().empty())
    for (const auto& each : std::exchange(end_.decisions(), {}))
      std::visit([&](const auto& next) { carry_out(next, host); }, each);
}

void node_registry::carry_out(const node_connections::deliver& next, host_ptr) {
  auto entry = connections_.find(next.to);
  if (entry == connections_.end())
    return;
  if (!std::holds_alternative<tasks_sent>(next.batch.content))
    return send(entry->second, next.batch);
  auto batch = next.batch;
  auto& sent = std::get<tasks_sent>(batch.content);
  if (has_queue_)
    name_takings(batch.session, sent);
  if (exchanges_facts())
    add_facts(sent, most_bytes_of(entry->second.with.first));
  send(entry->second, batch);
}

void node_registry::carry_out(const node_connections::admit& next,
                              host_ptr host) {
  auto pool = reach(pool_);
  auto entry = connections_.find(next.by);
  auto session = end_.sessions().sessions().find(next.session);
  if (pool == nullptr || entry == connections_.end()
      || session == end_.sessions().sessions().end())
    return; // it may have ended in the same round
  auto proxy = new_actor<node_proxy>(home_system(), calls_for(next.session),
                                     entry->second.who, exchanges_facts());
  proxies_.emplace(next.session, proxy);
  ++joined_;
  note_held(next.session, entry->second.who);
  runs_[next.session] = static_cast<std::uint64_t>(session->second.who);
  note_joined(next.session, host);
}

proxy_calls node_registry::calls_for(worker_number session) {
  auto me = address();
  return {session,
          [me, session](caf::mailbox_element_ptr element, host_ptr host) {
            call_actor<node_registry>(me, [&](node_registry& self) {
              self.submit(session, std::move(element), host);
            });
          },
          [me](proxy_calls::fact fact, host_ptr host) {
            call_actor<node_registry>(me, [&](node_registry& self) {
              self.note(std::move(fact), host);
            });
          }};
}

void node_registry::carry_out(const node_connections::resize& next,
                              host_ptr host) {
  auto found = proxies_.find(next.session);
  if (found == proxies_.end())
    return;
  auto& proxy = *pool_behind<node_proxy>(found->second);
  if (auto told = end_.wants(next.session))
    proxy.measured(end_.bandwidth(next.session), told->round_trip);
  proxy.resize(next.window, host);
}

void node_registry::carry_out(const node_connections::dismiss& next,
                              host_ptr host) {
  auto found = proxies_.find(next.session);
  if (found == proxies_.end())
    return;
  auto proxy = std::move(found->second);
  proxies_.erase(found);
  note_left(next.session);
  if (next.is_lost)
    ++lost_;
  pool_behind<node_proxy>(proxy)->close(
    next.is_lost ? caf::exit_reason::remote_link_unreachable
                 : caf::exit_reason::user_shutdown,
    host);
}

} // namespace libpool
