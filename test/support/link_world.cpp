#include "support/link_world.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

using libpool::connection_number;
using libpool::instant;
using libpool::node_sessions;
using libpool::pool_side;
using libpool::task_number;
using libpool::worker_number;

namespace test {

namespace {

using kind = link_step::kind;

constexpr libpool::duration quarter{8};
constexpr libpool::duration lease = 4 * quarter;

link_step step(kind is, std::size_t node = 0, std::size_t task = 0,
               bool is_up = false) {
  return {is, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(task),
          is_up};
}

template <class Message>
Message first_of(std::vector<Message>& channel) {
  auto message = std::move(channel.front());
  channel.erase(channel.begin());
  return message;
}

} // namespace

link_world::link_world(const link_setting& how)
  : how_(how),
    sessions_(lease),
    nodes_{node{libpool::incarnation{1}}, node{libpool::incarnation{2}}} {
  for (std::size_t i = 0; i < how.members; ++i)
    connect(nodes_[i]);
  for (std::size_t i = 0; i < how.tasks; ++i)
    pool_.submitted(task_number{i}, how.retries);
}

instant link_world::now() const {
  return instant{} + (time_ + 1) * quarter;
}

// -- possible steps -----------------------------------------------------------

void link_world::list_steps(std::vector<link_step>& to) const {
  to.clear();
  for (const auto& [session, member] : pool_.members())
    for (const auto& [number, task] : pool_.tasks())
      if (!task.on && member.is_reachable)
        to.push_back(step(kind::assign, static_cast<std::size_t>(session),
                          static_cast<std::size_t>(number)));
  for (std::size_t i = 0; i < how_.members; ++i) {
    const auto& at = nodes_[i];
    if (!at.machine.running().empty())
      to.push_back(step(kind::complete, i));
    else if (may_begin(at))
      to.push_back(step(kind::begin, i));
    if (!at.up.empty())
      to.push_back(step(kind::arrive, i, 0, true));
    if (!at.down.empty())
      to.push_back(step(kind::arrive, i, 0, false));
    if (at.is_open && how_.closings > 0)
      to.push_back(step(kind::close, i));
    if (!at.is_open)
      to.push_back(step(at.knows ? kind::connect : kind::notice, i));
    if (now() >= at.link.next_tick() && !how_.ignores_lease)
      to.push_back(step(kind::tick_node, i));
  }
  if (!untold_.empty())
    to.push_back(step(kind::tell));
  if (now() >= sessions_.next_tick())
    to.push_back(step(kind::tick_pool));
  if (time_ < how_.until)
    to.push_back(step(kind::pass));
}

bool link_world::may_begin(const node& at) const {
  return !at.machine.queue().empty()
         && (how_.ignores_lease || at.link.may_begin(now()));
}

bool link_world::must_come(const link_step& step) noexcept {
  return step.is != kind::close && step.is != kind::assign;
}

// -- steps --------------------------------------------------------------------

bool link_world::take(const link_step& step) {
  auto& at = nodes_[step.is == kind::assign ? 0 : step.node];
  switch (step.is) {
    case kind::assign:
      fates_[step.task].in_hands = false;
      pool_.assign(task_number{step.task}, worker_number{step.node});
      break;
    case kind::begin:
      begin(at);
      break;
    case kind::complete:
      at.machine.finished(at.machine.running().front(),
                          libpool::ending::completed);
      break;
    case kind::arrive:
      if (step.is_up)
        arrive_at_pool(at);
      else
        arrive_at_node(at);
      break;
    case kind::close:
      --how_.closings;
      close(at);
      break;
    case kind::notice:
      at.knows = true;
      at.link.disconnected();
      break;
    case kind::tell:
      sessions_.closed(untold_.front());
      untold_.erase(untold_.begin());
      break;
    case kind::connect:
      connect(at);
      break;
    case kind::tick_node:
      at.link.ticked(now());
      break;
    case kind::tick_pool:
      sessions_.ticked(now());
      break;
    case kind::pass:
      ++time_;
      break;
  }
  carry_out_sessions();
  carry_out_books();
  for (auto& each : nodes_) {
    drop_if_over(each);
    collect(each);
  }
  return has_room();
}

void link_world::begin(node& at) {
  auto task = at.machine.start();
  if (!task)
    return;
  ++fates_[static_cast<std::size_t>(*task)].runs;
  if (over_.count(at.serves) > 0)
    broken_ = "a node that was given up begins a task";
}

void link_world::connect(node& at) {
  at.by = connection_number{++connections_};
  at.is_open = at.knows = true;
  at.link.connected(now());
  drop_if_over(at);
  collect(at);
}

void link_world::close(node& at) {
  at.is_open = at.knows = false;
  at.up.clear();
  at.down.clear();
  untold_.push_back(at.by);
}

/// What the machine has not begun belongs to a session that is over.
void link_world::drop_if_over(node& at) {
  auto session = at.link.session();
  if (session.value_or(worker_number{}) == at.serves)
    return;
  at.machine = {};
  at.serves = session.value_or(worker_number{});
  if (session)
    served_.insert(*session);
}

/// Messages by a connection that has closed vanish.
void link_world::collect(node& from) {
  for (const auto& message : std::exchange(from.link.messages(), {})) {
    if (const auto* said = std::get_if<libpool::hello>(&message)) {
      from.hellos = said->attempt;
      from.said_hello = now();
    }
    if (from.is_open)
      std::visit([&](const auto& sent) { from.up.emplace_back(sent); },
                 message);
  }
  for (const auto& message : std::exchange(from.machine.messages(), {}))
    if (from.is_open)
      from.up.emplace_back(
        result{from.serves, std::get<libpool::task_done>(message)});
}

void link_world::arrive_at_pool(node& from) {
  auto message = first_of(from.up);
  if (auto* said = std::get_if<libpool::hello>(&message);
      said != nullptr && how_.forgets_nodes)
    said->who = libpool::incarnation{100 * from.hellos};
  std::visit(
    [&](const auto& arrived) {
      if constexpr (std::is_same_v<std::decay_t<decltype(arrived)>, result>) {
        if (sessions_.heard(arrived.session, now()))
          pool_.told(arrived.session, arrived.done);
      } else {
        sessions_.told(from.by, arrived, now());
      }
    },
    message);
}

void link_world::arrive_at_node(node& at) {
  auto message = first_of(at.down);
  std::visit(
    [&](const auto& arrived) {
      if constexpr (std::is_same_v<std::decay_t<decltype(arrived)>, portion>) {
        if (at.link.session() == arrived.session)
          at.machine.told(arrived.tasks);
        else if (served_.count(arrived.session) == 0)
          broken_ = "a node that has not begun to serve is sent a task";
      } else if constexpr (std::is_same_v<std::decay_t<decltype(arrived)>,
                                          libpool::welcome>) {
        auto heard = arrived;
        heard.lease += how_.longer * quarter;
        at.link.told(heard, now());
      } else {
        at.link.told(arrived, now());
      }
    },
    message);
}

void link_world::carry_out_sessions() {
  for (const auto& decision : std::exchange(sessions_.decisions(), {})) {
    if (const auto* sent = std::get_if<node_sessions::send>(&decision)) {
      if (auto* to = node_by(sent->to))
        std::visit([&](const auto& each) { to->down.emplace_back(each); },
                   sent->message);
      const auto* welcomes = std::get_if<libpool::welcome>(&sent->message);
      if (welcomes != nullptr && how_.admits_at_once)
        pool_.joined(welcomes->session);
    } else if (const auto* in = std::get_if<node_sessions::admit>(&decision)) {
      pool_.joined(in->session);
    } else if (const auto* gone = std::get_if<node_sessions::cut>(&decision)) {
      if (how_.does_not_wait) {
        over_.insert(gone->session);
        pool_.lost(gone->session);
      } else {
        pool_.unreachable(gone->session);
      }
    } else if (const auto* ended = std::get_if<node_sessions::end>(&decision)) {
      over_.insert(ended->session);
      pool_.lost(ended->session);
    }
  }
}

void link_world::carry_out_books() {
  for (const auto& decision : std::exchange(pool_.decisions(), {})) {
    if (const auto* sent = std::get_if<pool_side::send>(&decision)) {
      auto found = sessions_.sessions().find(sent->to);
      auto* to = found == sessions_.sessions().end()
                   ? nullptr
                   : node_by(found->second.by);
      if (to != nullptr)
        to->down.emplace_back(
          portion{sent->to, std::get<libpool::tasks_sent>(sent->message)});
    } else if (const auto* placed = std::get_if<pool_side::place>(&decision)) {
      fates_[static_cast<std::size_t>(placed->task)].in_hands = true;
    } else if (const auto* end = std::get_if<pool_side::settle>(&decision)) {
      ++fates_[static_cast<std::size_t>(end->task)].outcomes;
    }
  }
}

link_world::node* link_world::node_by(connection_number by) {
  for (auto& each : nodes_)
    if (each.by == by && each.is_open)
      return &each;
  return nullptr;
}

bool link_world::has_room() const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const node& each) {
    return each.up.size() <= how_.room && each.down.size() <= how_.room;
  });
}

} // namespace test
