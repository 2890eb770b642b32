#include "support/protocol_world.hpp"

#include <algorithm>
#include <type_traits>
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
                   std::size_t which = 0, bool is_up = false) {
  return {is, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(task),
          static_cast<std::uint8_t>(which), is_up};
}

protocol_message taken_from(std::vector<protocol_message>& channel,
                            std::size_t index) {
  auto message = std::move(channel[index]);
  channel.erase(channel.begin() + static_cast<std::ptrdiff_t>(index));
  return message;
}

template <class Message>
void add(std::vector<protocol_message>& to, const Message& message) {
  std::visit([&](const auto& added) { to.emplace_back(added); }, message);
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
  for (auto is_up : {false, true}) {
    auto messages = (is_up ? nodes_[at].up : nodes_[at].down).size();
    auto first = how_.overtakes ? messages : std::min<std::size_t>(messages, 1);
    for (std::size_t i = 0; i < first; ++i) {
      to.push_back(step(kind::arrive, at, 0, i, is_up));
      if (how_.duplicates > 0)
        to.push_back(step(kind::copy, at, 0, i, is_up));
      if (how_.vanishing > 0)
        to.push_back(step(kind::drop, at, 0, i, is_up));
    }
  }
}

bool protocol_world::must_come(const protocol_step& step) noexcept {
  return step.is != kind::request && step.is != kind::deadline
         && step.is != kind::copy && step.is != kind::drop
         && step.is != kind::lose;
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
    case kind::arrive:
      arrive(step);
      break;
    case kind::copy:
      --how_.duplicates;
      member.channel_of(step).push_back(member.channel_of(step)[step.which]);
      break;
    case kind::drop:
      --how_.vanishing;
      taken_from(member.channel_of(step), step.which);
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
  }
  carry_out_decisions();
  collect_messages();
  return has_room();
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

void protocol_world::arrive(const protocol_step& step) {
  auto& member = nodes_[step.node];
  auto message = taken_from(member.channel_of(step), step.which);
  std::visit(
    [&](const auto& arrived) {
      if constexpr (std::is_constructible_v<libpool::node_message,
                                            decltype(arrived)>)
        member.machine.told(arrived);
      else
        arrive_at_pool(step.node, arrived);
    },
    message);
}

/// A late grant sends nothing. A late refusal, and any message from a node that
/// is known to be lost, changes nothing.
void protocol_world::arrive_at_pool(std::size_t from,
                                    const libpool::pool_message& message) {
  auto is_late = [&](const auto* answer) {
    return answer != nullptr && pool_.requests().count(answer->id) == 0;
  };
  std::string before;
  encode_pool(before, false);
  auto is_nothing = is_late(std::get_if<libpool::steal_refused>(&message))
                    || !serves(from);
  auto sends_nothing = is_late(std::get_if<libpool::steal_granted>(&message));
  pool_.told(number_of(from), message);
  std::string after;
  encode_pool(after, false);
  if (is_nothing && (before != after || !pool_.decisions().empty()))
    broken_ = "a message that came too late changed something";
  for (const auto& decision : pool_.decisions())
    if (sends_nothing
        && !std::holds_alternative<libpool::pool_side::place>(decision))
      broken_ = "tasks that were granted too late are not in the pool's hands";
}

void protocol_world::carry_out_decisions() {
  for (const auto& decision : pool_.decisions()) {
    if (const auto* sent = std::get_if<libpool::pool_side::send>(&decision)) {
      auto& to = nodes_[static_cast<std::size_t>(sent->to)];
      if (to.is == condition::well)
        add(to.down, sent->message);
    } else if (const auto* placed =
                 std::get_if<libpool::pool_side::place>(&decision)) {
      auto& task = fates_[static_cast<std::size_t>(placed->task)];
      if (task.in_hands)
        broken_ = "a task is to be placed twice";
      task.in_hands = true;
    } else if (const auto* end =
                 std::get_if<libpool::pool_side::settle>(&decision)) {
      ++fates_[static_cast<std::size_t>(end->task)].outcomes;
    }
  }
  pool_.decisions().clear();
}

void protocol_world::collect_messages() {
  for (auto& member : nodes_) {
    for (const auto& message : std::exchange(member.machine.messages(), {}))
      if (member.is == condition::well)
        add(member.up, message);
  }
}

bool protocol_world::has_room() const noexcept {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const node& member) {
    return member.down.size() <= how_.room && member.up.size() <= how_.room;
  });
}

} // namespace test
