#include "libpool/actors/nodes/node_keeper.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/nodes/node_door.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

/// Under which the pool is watched; connections are numbered from 1.
constexpr worker_number number_of_pool{0};

node_terms terms_of(const node_options& options) {
  node_terms result;
  result.lease = options.lease;
  result.portion = options.portion;
  result.credit = options.credit;
  result.most_in_flight = options.most_in_flight;
  return result;
}

/// A node may still run tasks of a former program under their old numbers.
task_number random_task() {
  std::random_device source;
  auto high = std::uint64_t{source()} << 31U;
  return task_number{high ^ source()};
}

/// Takes as long wherever they differ.
bool is_same(const std::string& x, const std::string& y) noexcept {
  if (x.size() != y.size())
    return false;
  auto differ = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    differ |= x[i] ^ y[i];
  return differ == 0;
}

bool have_common(const protocol_range& x, const protocol_range& y) noexcept {
  return x.oldest <= y.newest && y.oldest <= x.newest;
}

void send(const caf::strong_actor_ptr& to, caf::strong_actor_ptr from,
          std::string bytes, execution_context* host) {
  to->enqueue(
    make_element(std::move(from), caf::make_message_id(), std::move(bytes)),
    host);
}

} // namespace

node_keeper::node_keeper(caf::actor_config& cfg, const caf::actor& pool,
                         node_options options, bool retries)
  : delivering(cfg),
    pool_(caf::actor_cast<caf::actor_addr>(pool)),
    options_(std::move(options)),
    retries_(retries),
    end_(terms_of(options_)),
    next_task_(random_task()) {
  watch(actor_behind(pool), *this, number_of_pool);
}

node_keeper::~node_keeper() = default;

caf::actor make_node_keeper(const caf::actor& pool, const node_options& options,
                            bool retries) {
  auto& system = actor_behind(pool).home_system();
  caf::actor_config cfg;
  return caf::make_actor<node_keeper, caf::actor>(system.next_actor_id(),
                                                  system.node(), &system, cfg,
                                                  pool, options, retries);
}

instant node_keeper::now() const {
  return home_system().clock().now();
}

nodes_stats node_keeper::stats() {
  return ask([this] { return collect_stats(); });
}

nodes_stats node_keeper::collect_stats() const {
  nodes_stats result;
  for (const auto& [session, door] : doors_) {
    auto by = end_.sessions().sessions().find(session);
    auto told = end_.wants(session);
    if (by == end_.sessions().sessions().end() || !told)
      continue;
    const auto& who = connections_.at(by->second.by).who;
    node_stats node;
    node.worker = door;
    node.name = who.name;
    node.labels = who.labels;
    node.window = told->window;
    node.slots = told->slots;
    node.in_flight = end_.in_flight(session);
    node.bytes_under_way = end_.under_way(session);
    node.service = told->service;
    node.round_trip = told->round_trip;
    node.bandwidth = end_.bandwidth(session);
    result.nodes.push_back(std::move(node));
  }
  result.letters = letters_;
  result.strays = strays_ + end_.strays();
  result.turned_away = turned_away_;
  return result;
}

// -- facts --------------------------------------------------------------------

void node_keeper::submit(worker_number session,
                         caf::mailbox_element_ptr element, host_ptr host) {
  auto shared = std::make_shared<caf::mailbox_element_ptr>(std::move(element));
  tell([this, session,
        shared](host_ptr here) { take(session, std::move(*shared), here); },
       host);
}

void node_keeper::forget(worker_number session, task_number task,
                         host_ptr host) {
  tell([this, session, task](host_ptr) { end_.unwanted(task, session, now()); },
       host);
}

void node_keeper::expel(worker_number session, host_ptr host) {
  tell([this, session](host_ptr) { end_.expelled(session); }, host);
}

void node_keeper::worker_died(worker_number number, const caf::error&,
                              host_ptr host) {
  auto is_gone = [this, number](host_ptr here) {
    if (number == number_of_pool)
      end(here);
    else
      disconnected(connection_number{static_cast<std::uint64_t>(number)});
  };
  tell(is_gone, host);
}

void node_keeper::time_is_up(host_ptr host) {
  auto time_has_passed = [this](host_ptr) {
    auto time = now();
    if (waker_.has_come(time) && end_.next_tick() <= time)
      end_.ticked(time);
  };
  tell(time_has_passed, host);
}

void node_keeper::received(caf::mailbox_element_ptr element, host_ptr host) {
  if (element->sender != nullptr
      && content_of(*element).match_elements<std::string>())
    take_letter(element->sender, take_content(*element), host);
  else
    ++strays_;
  if (wants_answer(*element)) // it is a bye
    answer(take_return_path(*element), ctrl(), caf::message{}, host);
}

void node_keeper::handled_all(host_ptr host) {
  carry_out(host);
  if (end_.has_to_flush() && end_.flush_at() <= now())
    end_.flush(now());
  carry_out(host);
  results_.clear();
  unread_.clear();
  set_waker();
}

/// It may wake too early: to replace the time costs more.
void node_keeper::set_waker() {
  if (has_ended_)
    return;
  auto due = std::min(end_.next_tick(), end_.flush_at());
  if (due < waker_.due())
    waker_.set(due);
}

// -- connections --------------------------------------------------------------

void node_keeper::take_letter(const caf::strong_actor_ptr& sender,
                              const caf::message& content, host_ptr host) {
  auto read = read_letter_to_pool(content.get_as<std::string>(0));
  if (!read || has_ended_) {
    ++strays_;
    return;
  }
  auto is_hello = std::holds_alternative<hello>(read->letter.content);
  if (is_hello && !let_in(sender, read->who, host))
    return;
  auto found = by_peer_.find(sender.get());
  if (found == by_peer_.end()) {
    ++strays_;
    return;
  }
  std::size_t size = 0;
  for (const auto& each : read->contents)
    size += each.size();
  ++letters_;
  note_results(content, *read);
  if (auto* which = std::get_if<unread>(&read->letter.content))
    unread_[static_cast<std::uint64_t>(which->task)] = std::move(which->why);
  end_.told(found->second, read->letter, size, now());
}

/// Whether the node may serve; it is told if not.
bool node_keeper::let_in(const caf::strong_actor_ptr& sender,
                         const introduction& who, host_ptr host) {
  if (auto why = objection_to(who)) {
    ++turned_away_;
    send(sender, ctrl(), bytes_of(*why), host);
    return false;
  }
  if (by_peer_.count(sender.get()) > 0)
    return true;
  connection_number number{++last_connection_};
  by_peer_.emplace(sender.get(), number);
  connections_.emplace(number, connection{sender, who});
  watch(*sender->get(), *this, worker_number{last_connection_});
  return true;
}

std::optional<rejection>
node_keeper::objection_to(const introduction& who) const {
  if (!have_common(who.speaks, spoken_protocols))
    return rejection::protocol;
  if (!is_same(who.token, options_.token))
    return rejection::token;
  return std::nullopt;
}

void node_keeper::disconnected(connection_number which) {
  auto found = connections_.find(which);
  if (found == connections_.end())
    return;
  by_peer_.erase(found->second.peer.get());
  connections_.erase(found);
  end_.closed(which);
}

/// The pool has ended: nodes are sent away, and what they had is lost.
void node_keeper::end(host_ptr host) {
  if (std::exchange(has_ended_, true))
    return;
  auto doors = doors_;
  for (const auto& each : doors)
    end_.expelled(each.first);
  carry_out(host);
  for (const auto& each : connections_)
    unwatch(*each.second.peer->get(), *this,
            worker_number{static_cast<std::uint64_t>(each.first)});
  connections_.clear();
  by_peer_.clear();
  waker_.set(never);
  cleanup(caf::exit_reason::user_shutdown, host);
}

// -- decisions of the machine -------------------------------------------------

void node_keeper::carry_out(host_ptr host) {
  while (!end_.decisions().empty())
    for (const auto& each : std::exchange(end_.decisions(), {}))
      std::visit([&](const auto& next) { carry_out(next, host); }, each);
}

void node_keeper::carry_out(const pool_end::deliver& next, host_ptr host) {
  auto to = connections_.find(next.to);
  if (to == connections_.end())
    return;
  auto sent = contents_of(next.letter);
  std::vector<std::string_view> contents;
  contents.reserve(sent.size());
  for (const auto& each : sent)
    contents.emplace_back(*each);
  send(to->second.peer, ctrl(), bytes_of(next.letter, contents), host);
}

void node_keeper::carry_out(const pool_end::admit& next, host_ptr host) {
  auto pool = reach(pool_);
  auto by = connections_.find(next.by);
  if (pool == nullptr || by == connections_.end())
    return;
  auto& system = home_system();
  caf::actor_config cfg;
  auto door = caf::make_actor<node_door, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg, address(),
    next.session, by->second.who);
  doors_.emplace(next.session, door);
  send_to(*pool->get(),
          caf::make_message(caf::sys_atom{}, caf::put_atom{}, door), host);
}

void node_keeper::carry_out(const pool_end::resize& next, host_ptr host) {
  auto found = doors_.find(next.session);
  if (found == doors_.end())
    return;
  auto& door = *pool_behind<node_door>(found->second);
  if (auto told = end_.wants(next.session))
    door.measured(end_.bandwidth(next.session), told->round_trip);
  door.resize(next.window, host);
}

void node_keeper::carry_out(const pool_end::dismiss& next, host_ptr host) {
  auto found = doors_.find(next.session);
  if (found == doors_.end())
    return;
  auto door = std::move(found->second);
  doors_.erase(found);
  pool_behind<node_door>(door)->close(
    next.is_lost ? caf::exit_reason::remote_link_unreachable
                 : caf::exit_reason::user_shutdown,
    host);
}

} // namespace libpool
