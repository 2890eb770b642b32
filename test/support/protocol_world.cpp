#include "support/protocol_world.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

using libpool::instant;
using libpool::task_number;
using libpool::worker_number;

namespace test {

namespace {

using kind = protocol_step::kind;

worker_number number_of(std::size_t at) {
  return worker_number{at};
}

instant moment(std::int64_t when) {
  return instant{} + libpool::duration{when};
}

protocol_step step(kind is, std::size_t node, std::size_t task = 0,
                   std::size_t which = 0) {
  return {is, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(task),
          static_cast<std::uint8_t>(which)};
}

template <class T>
T taken_from(std::vector<T>& channel, std::size_t which) {
  auto message = std::move(channel[which]);
  channel.erase(channel.begin() + static_cast<std::ptrdiff_t>(which));
  return message;
}

} // namespace

protocol_world::protocol_world(const protocol_setting& how) : how_(how) {
  for (std::size_t i = 0; i < nodes; ++i) {
    pool_.joined(number_of(i));
    nodes_[i].requests_left = how.requests;
  }
  for (std::size_t i = 0; i < how.tasks; ++i)
    pool_.submitted(task_number{i}, how.retries);
}

bool protocol_world::serves(std::size_t at) const {
  return pool_.members().count(number_of(at)) > 0;
}

// -- possible steps -----------------------------------------------------------

void protocol_world::list_steps(std::vector<protocol_step>& to) const {
  to.clear();
  for (const auto& entry : pool_.tasks()) {
    if (entry.second.on)
      continue;
    auto task = static_cast<std::size_t>(entry.first);
    for (std::size_t i = 0; i < nodes; ++i)
      if (serves(i) && !pool_.is_reserved(number_of(i)))
        to.push_back(step(kind::assign, i, task));
    if (pool_.members().empty())
      to.push_back(step(kind::give_up, 0, task));
  }
  for (std::size_t i = 0; i < pool_.requests().size(); ++i)
    to.push_back(step(kind::deadline, 0, 0, i));
  for (std::size_t i = 0; i < nodes; ++i)
    list_steps_of(i, to);
}

void protocol_world::list_steps_of(std::size_t at,
                                   std::vector<protocol_step>& to) const {
  const auto& member = nodes_[at];
  if (member.is != condition::dead) {
    if (!member.machine.running().empty()) {
      to.push_back(step(kind::complete, at));
      if (how_.crashes > 0)
        to.push_back(step(kind::crash, at));
    } else if (!member.machine.queue().empty()) {
      to.push_back(step(kind::begin, at));
    }
  }
  if (member.is == condition::cut)
    to.push_back(step(kind::notice, at));
  if (member.is == condition::well && how_.losses > 0)
    to.push_back(step(kind::lose, at));
  if (member.is != condition::well && serves(at) && !how_.is_silent)
    to.push_back(step(kind::tell, at));
  if (member.requests_left > 0 && serves(at) && serves(1 - at)
      && !pool_.is_reserved(number_of(at)))
    for (std::size_t max = 1; max <= how_.most_stolen; ++max)
      for (std::size_t i = 0; i <= pool_.requests().size(); ++i)
        to.push_back(step(kind::request, at, max, i));
  list_arrivals(at, to);
}

void protocol_world::list_arrivals(std::size_t at,
                                   std::vector<protocol_step>& to) const {
  auto list = [&](std::size_t messages, kind one, kind twice, kind never) {
    auto first = how_.overtakes ? messages : std::min<std::size_t>(messages, 1);
    for (std::size_t i = 0; i < first; ++i) {
      to.push_back(step(one, at, 0, i));
      if (how_.duplicates > 0)
        to.push_back(step(twice, at, 0, i));
      if (how_.vanishing > 0)
        to.push_back(step(never, at, 0, i));
    }
  };
  list(nodes_[at].down.size(), kind::to_node, kind::copy_to_node,
       kind::drop_to_node);
  list(nodes_[at].up.size(), kind::to_pool, kind::copy_to_pool,
       kind::drop_to_pool);
}

bool protocol_world::must_come(const protocol_step& step) const noexcept {
  switch (step.is) {
    case kind::request:
    case kind::deadline:
    case kind::copy_to_node:
    case kind::copy_to_pool:
    case kind::drop_to_node:
    case kind::drop_to_pool:
    case kind::lose:
      return false;
    default:
      return true;
  }
}

// -- steps --------------------------------------------------------------------

bool protocol_world::take(const protocol_step& step) {
  auto& member = nodes_[step.node];
  switch (step.is) {
    case kind::assign:
      fates_[step.task].in_hands = false;
      pool_.assign(task_number{step.task}, number_of(step.node));
      break;
    case kind::request:
      ask(step);
      break;
    case kind::deadline:
      pass_deadline(step.which > 0);
      break;
    case kind::give_up:
      fates_[step.task].in_hands = false;
      pool_.drop(task_number{step.task}, libpool::errc::no_workers);
      break;
    case kind::begin:
      if (auto task = member.machine.start())
        ++fates_[static_cast<std::size_t>(*task)].runs;
      break;
    case kind::complete:
      member.machine.finished(member.machine.running().front(),
                              libpool::ending::completed);
      break;
    case kind::crash:
      --how_.crashes;
      member.machine.finished(member.machine.running().front(),
                              libpool::ending::crashed);
      break;
    case kind::to_node:
      arrive_at_node(member, step.which);
      break;
    case kind::to_pool:
      arrive_at_pool(step.node, step.which);
      break;
    case kind::lose:
      lose(member);
      break;
    case kind::tell:
      pool_.lost(number_of(step.node));
      break;
    case kind::notice:
      member.is = condition::aware;
      member.machine.cut_off();
      break;
    default:
      disturb(step);
  }
  carry_out_decisions();
  collect_messages();
  return has_room();
}

void protocol_world::disturb(const protocol_step& step) {
  auto& member = nodes_[step.node];
  if (step.is == kind::copy_to_node)
    member.down.push_back(member.down[step.which]);
  else if (step.is == kind::copy_to_pool)
    member.up.push_back(member.up[step.which]);
  else if (step.is == kind::drop_to_node)
    taken_from(member.down, step.which);
  else
    taken_from(member.up, step.which);
  if (step.is == kind::copy_to_node || step.is == kind::copy_to_pool)
    --how_.duplicates;
  else
    --how_.vanishing;
}

/// Only the order of two deadlines matters, so the new one is next to the other
/// one.
void protocol_world::ask(const protocol_step& step) {
  auto deadline = moment(1000);
  if (!pool_.requests().empty())
    deadline = pool_.next_tick() + libpool::duration{step.which > 0 ? 1 : -1};
  --nodes_[step.node].requests_left;
  auto id = pool_.request(number_of(step.node), number_of(1U - step.node),
                          step.task, deadline);
  if (!id)
    broken_ = "a request that may be made was not";
}

void protocol_world::pass_deadline(bool both) {
  auto when = pool_.next_tick();
  if (both)
    for (const auto& entry : pool_.requests())
      when = std::max(when, entry.second.deadline);
  pool_.ticked(when);
}

void protocol_world::lose(node& member) {
  --how_.losses;
  member.is = how_.cuts_off ? condition::cut : condition::dead;
  member.down.clear();
  if (!how_.has_last_words)
    member.up.clear();
  if (!how_.cuts_off)
    member.machine = {};
}

void protocol_world::arrive_at_node(node& member, std::size_t which) {
  auto message = taken_from(member.down, which);
  member.machine.told(message);
}

/// A late grant sends nothing. A late refusal, and any message from a node that
/// is known to be lost, changes nothing.
void protocol_world::arrive_at_pool(std::size_t from, std::size_t which) {
  auto message = taken_from(nodes_[from].up, which);
  auto is_late = [&](libpool::request_number id) {
    return pool_.requests().count(id) == 0;
  };
  std::string before;
  encode_pool(before, false);
  const auto* refused = std::get_if<libpool::steal_refused>(&message);
  const auto* granted = std::get_if<libpool::steal_granted>(&message);
  auto is_nothing = (refused != nullptr && is_late(refused->id))
                    || !serves(from);
  auto sends_nothing = granted != nullptr && is_late(granted->id);
  pool_.told(number_of(from), message);
  std::string after;
  encode_pool(after, false);
  if (is_nothing && (before != after || !pool_.decisions().empty()))
    broken_ = "what came too late changed something";
  for (const auto& one : pool_.decisions())
    if (sends_nothing
        && !std::holds_alternative<libpool::pool_side::place>(one))
      broken_ = "tasks that were granted too late are not in the pool's hands";
}

void protocol_world::carry_out_decisions() {
  for (auto& one : pool_.decisions()) {
    if (auto* sent = std::get_if<libpool::pool_side::send>(&one)) {
      auto& to = nodes_[static_cast<std::size_t>(sent->to)];
      if (to.is == condition::well)
        to.down.push_back(std::move(sent->message));
    } else if (auto* placed = std::get_if<libpool::pool_side::place>(&one)) {
      auto& task = fates_[static_cast<std::size_t>(placed->task)];
      if (task.in_hands)
        broken_ = "a task is to be placed twice";
      task.in_hands = true;
    } else if (auto* end = std::get_if<libpool::pool_side::settle>(&one)) {
      ++fates_[static_cast<std::size_t>(end->task)].outcomes;
    }
  }
  pool_.decisions().clear();
}

void protocol_world::collect_messages() {
  for (auto& member : nodes_) {
    auto& messages = member.machine.messages();
    if (member.is == condition::well)
      member.up.insert(member.up.end(), messages.begin(), messages.end());
    messages.clear();
  }
}

bool protocol_world::has_room() const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const node& member) {
    return member.down.size() <= how_.room && member.up.size() <= how_.room;
  });
}

} // namespace test
