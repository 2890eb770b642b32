#include "support/protocol_world.hpp"

#include <algorithm>
#include <string>
#include <variant>

using libpool::task_number;
using libpool::worker_number;

namespace test {

namespace {

message_parts parts(const libpool::tasks_sent& message) {
  return {message.tasks, {}, 0};
}

message_parts parts(const libpool::steal_request& message) {
  return {{}, message.id, message.max};
}

message_parts parts(const libpool::steal_granted& message) {
  return {message.tasks, message.id, 0};
}

message_parts parts(const libpool::steal_refused& message) {
  return {{}, message.id, 0};
}

message_parts parts(const libpool::task_done& message) {
  return {{message.task}, {}, static_cast<std::size_t>(message.how)};
}

char byte(std::size_t number) {
  return static_cast<char>(number);
}

} // namespace

message_parts parts_of(const protocol_message& message) {
  return std::visit([](const auto& any) { return parts(any); }, message);
}

template <class F>
void protocol_world::node::for_each_task(F f) const {
  for (const auto* messages : {&down, &up})
    for (const auto& message : *messages)
      for (auto task : parts_of(message).tasks)
        f(task);
  std::for_each(machine.queue().begin(), machine.queue().end(), f);
  std::for_each(machine.running().begin(), machine.running().end(), f);
}

// -- invariants ---------------------------------------------------------------

std::array<unsigned, protocol_world::most_tasks>
protocol_world::owners() const {
  std::array<unsigned, most_tasks> counts{};
  auto count = [&](task_number task) {
    ++counts[static_cast<std::size_t>(task)];
  };
  for (std::size_t i = 0; i < nodes; ++i) {
    auto found = pool_.members().find(worker_number{i});
    if (nodes_[i].is == condition::well)
      nodes_[i].for_each_task(count);
    else if (found != pool_.members().end()) // lost, and not told
      std::for_each(found->second.tasks.begin(), found->second.tasks.end(),
                    count);
  }
  for (std::size_t i = 0; i < how_.tasks; ++i)
    counts[i] += fates_[i].outcomes + (fates_[i].in_hands ? 1U : 0U);
  return counts;
}

/// Whether the pool knows where each task is.
bool protocol_world::nodes_agree() const {
  auto is_right = true;
  for (std::size_t i = 0; i < nodes; ++i) {
    auto found = pool_.members().find(worker_number{i});
    if (nodes_[i].is != condition::well || found == pool_.members().end())
      continue;
    std::size_t there = 0;
    nodes_[i].for_each_task([&](task_number task) {
      ++there;
      is_right &= found->second.tasks.count(task) > 0;
    });
    is_right &= there == found->second.tasks.size();
  }
  for (const auto& entry : pool_.tasks()) {
    const auto& on = entry.second.on;
    is_right &= fates_[static_cast<std::size_t>(entry.first)].in_hands == !on;
    auto found = on ? pool_.members().find(*on) : pool_.members().end();
    is_right &= !on
                || (found != pool_.members().end()
                    && found->second.tasks.count(entry.first) > 0);
  }
  return is_right;
}

/// Whether the request or its answer is under way, or the pool will hear of the
/// loss of the victim.
bool protocol_world::is_answerable(
  libpool::request_number id,
  const libpool::pool_side::open_request& open) const {
  const auto& victim = nodes_[static_cast<std::size_t>(open.victim)];
  if (victim.is != condition::well)
    return true;
  auto is_about_it = [id](const protocol_message& message) {
    return parts_of(message).id == id;
  };
  return std::count_if(victim.down.begin(), victim.down.end(), is_about_it)
           + std::count_if(victim.up.begin(), victim.up.end(), is_about_it)
         == 1;
}

/// Whether a thief is reserved as long as its request is open, and no longer.
bool protocol_world::requests_agree() const {
  std::size_t reserved = 0;
  for (const auto& entry : pool_.members()) {
    if (!entry.second.awaits)
      continue;
    ++reserved;
    auto found = pool_.requests().find(*entry.second.awaits);
    if (found == pool_.requests().end() || found->second.thief != entry.first
        || pool_.members().count(found->second.victim) == 0)
      return false;
  }
  auto all = [this](const auto& entry) {
    return is_answerable(entry.first, entry.second);
  };
  return reserved == pool_.requests().size()
         && std::all_of(pool_.requests().begin(), pool_.requests().end(), all);
}

std::string protocol_world::wrong() const {
  if (!broken_.empty())
    return broken_;
  auto owned = owners();
  for (std::size_t i = 0; i < how_.tasks; ++i) {
    auto task = "task " + std::to_string(i + 1);
    if (fates_[i].outcomes > 1)
      return task + " has more than one outcome";
    if (fates_[i].runs > 1 + how_.retries)
      return task + " ran too often";
    auto runs_on = [i](const node& member) {
      const auto& running = member.machine.running();
      return std::count(running.begin(), running.end(), task_number{i}) > 0;
    };
    if (std::all_of(nodes_.begin(), nodes_.end(), runs_on))
      return task + " runs on two nodes at once";
    if (owned[i] != 1)
      return task + " has " + std::to_string(owned[i]) + " owners";
  }
  if (!nodes_agree())
    return "the pool does not know where a task is";
  if (!requests_agree())
    return "a request is open and not under way, or its thief not reserved";
  return {};
}

std::string protocol_world::wrong_at_the_end() const {
  for (std::size_t i = 0; i < how_.tasks; ++i)
    if (fates_[i].outcomes != 1)
      return "task " + std::to_string(i + 1) + " never has an outcome";
  for (const auto& member : nodes_)
    if (!member.down.empty() || !member.up.empty())
      return "a message never arrives";
  for (const auto& entry : pool_.members())
    if (entry.second.awaits)
      return "a thief is reserved for ever";
  if (!pool_.requests().empty() || !pool_.tasks().empty())
    return "the pool remembers what is over";
  return {};
}

// -- a state in bytes ---------------------------------------------------------

/// Tasks are numbered anew, by where they are met first.
struct protocol_world::labels {
  std::array<std::size_t, most_tasks> of{};
  std::size_t count = 0;

  char label(task_number task) {
    auto& mine = of[static_cast<std::size_t>(task)];
    if (mine == 0)
      mine = ++count;
    return byte(mine);
  }
};

std::string protocol_world::record_of(std::size_t task, bool swap) const {
  const auto& seen = fates_[task];
  auto found = pool_.tasks().find(task_number{task});
  std::size_t on = 0;
  std::size_t crashes = 0;
  if (found != pool_.tasks().end()) {
    const auto& at = found->second.on;
    on = at ? 2 + (static_cast<std::size_t>(*at) ^ (swap ? 1U : 0U)) : 1;
    crashes = found->second.crashes;
  }
  return {byte(on), byte(crashes), byte(seen.runs),
          byte(seen.outcomes * 2 + (seen.in_hands ? 1 : 0))};
}

void protocol_world::encode_pool(std::string& to, bool swap) const {
  for (const auto& entry : pool_.requests()) {
    auto thief = static_cast<std::size_t>(entry.second.thief);
    to += byte(static_cast<std::size_t>(entry.first));
    to += byte((thief ^ (swap ? 1U : 0U)) * 2
               + (entry.second.deadline > pool_.next_tick() ? 1 : 0));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    auto found = pool_.members().find(worker_number{swap ? nodes - 1 - i : i});
    to += '|';
    if (found == pool_.members().end())
      continue;
    to += byte(found->second.tasks.size());
    to += byte(static_cast<std::size_t>(
      found->second.awaits.value_or(libpool::request_number{0})));
  }
}

void protocol_world::encode(std::string& to) const {
  to.clear();
  encode(to, false);
  std::string other;
  encode(other, true);
  if (other < to)
    to.swap(other);
}

void protocol_world::encode(std::string& to, bool swap) const {
  labels known;
  auto add_tasks = [&](const auto& tasks) {
    to += byte(tasks.size());
    for (auto task : tasks)
      to += known.label(task);
  };
  auto add_messages = [&](const channel& messages) {
    to += byte(messages.size());
    for (const auto& message : messages) {
      auto all = parts_of(message);
      to += {byte(message.index()), byte(static_cast<std::size_t>(all.id)),
             byte(all.detail)};
      add_tasks(all.tasks);
    }
  };
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto& member = nodes_[swap ? nodes - 1 - i : i];
    to += byte(static_cast<std::size_t>(member.is) * 16 + member.requests_left);
    add_messages(member.down);
    add_tasks(member.machine.queue());
    add_tasks(member.machine.running());
    add_messages(member.up);
  }
  std::array<std::string, most_tasks> records;
  std::size_t others = known.count;
  for (std::size_t i = 0; i < how_.tasks; ++i)
    records[known.of[i] > 0 ? known.of[i] - 1 : others++] = record_of(i, swap);
  std::sort(records.begin() + static_cast<std::ptrdiff_t>(known.count),
            records.begin() + static_cast<std::ptrdiff_t>(how_.tasks));
  for (std::size_t i = 0; i < how_.tasks; ++i)
    to += records[i];
  encode_pool(to, swap);
  to += {byte(how_.losses), byte(how_.crashes), byte(how_.duplicates),
         byte(how_.vanishing)};
  to += broken_;
}

// -- a step in words ----------------------------------------------------------

std::string protocol_world::words_for(const protocol_step& step) const {
  constexpr std::array<const char*, 13> names{"is assigned task",
                                              "steals tasks, at most",
                                              "misses a deadline",
                                              "is out of the question for task",
                                              "begins task",
                                              "completes task",
                                              "crashes on task",
                                              "has a message arrive:",
                                              "has a message doubled:",
                                              "loses a message:",
                                              "is lost",
                                              "is known to be lost",
                                              "notices that it is cut off"};
  constexpr std::array<const char*, 5> messages{"tasks_sent", "steal_request",
                                                "steal_granted",
                                                "steal_refused", "task_done"};
  using step_kind = protocol_step::kind;
  auto number = [](auto task) {
    return " " + std::to_string(static_cast<std::size_t>(task) + 1);
  };
  const auto& member = nodes_[step.node];
  auto result = std::string{"node "} + "AB"[step.node] + " "
                + names[static_cast<std::size_t>(step.is)];
  if (step.is == step_kind::request)
    return result + " " + std::to_string(step.task);
  if (step.is == step_kind::assign || step.is == step_kind::give_up)
    return result + number(step.task);
  if (step.is == step_kind::begin)
    return result + number(member.machine.queue().front());
  if (step.is == step_kind::complete || step.is == step_kind::crash)
    return result + number(member.machine.running().front());
  if (step.is < step_kind::arrive || step.is > step_kind::drop)
    return result;
  const auto& message = (step.is_up ? member.up : member.down)[step.which];
  auto all = parts_of(message);
  result += std::string{" "} + messages[message.index()]
            + (step.is_up ? " to the pool" : " from the pool") + ", id "
            + std::to_string(static_cast<std::size_t>(all.id)) + ", detail "
            + std::to_string(all.detail) + ", tasks";
  for (auto task : all.tasks)
    result += number(task);
  return result;
}

} // namespace test
