#include "link_world.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace test {

// -- what is wrong ------------------------------------------------------------

std::string link_world::wrong() const {
  if (!broken_.empty())
    return broken_;
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    if (auto wrong = wrong_tasks(i); !wrong.empty())
      return wrong;
    if (fronts_[i].is != life::has_ended
        && has_two_sessions_of_a_node(fronts_[i]))
      return "a node has two sessions at once";
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (auto wrong = wrong_stops(i); !wrong.empty())
      return wrong;
  if (has_left_unconfirmed())
    return "a node has left while the pool takes it for alive";
  for (std::size_t i = 0; i < queue_.size(); ++i)
    if (queue_[i].begins > 1 + how_.retries)
      return "task " + std::to_string(i + 1)
             + " of the queue begins more often than allowed";
  return wrong_counts();
}

/// Returns what is wrong with the tasks of a front.
std::string link_world::wrong_tasks(std::size_t of) const {
  for (std::size_t i = 0; i < slots(); ++i) {
    auto task = "task " + std::to_string(i + 1);
    const auto& mine = fronts_[of].fates[i];
    if (mine.outcomes > 1)
      return task + " has more than one outcome";
    if (mine.runs > 1 + how_.retries)
      return task + " ran more often than allowed";
    auto runs_on = [&](const node& member) {
      return std::any_of(member.running.begin(), member.running.end(),
                         [&](const held_task& each) {
                           return each.of == of
                                  && &fate_of(fronts_[of], each.which) == &mine;
                         });
    };
    if (how_.retries == 0
        && std::count_if(nodes_.begin(), nodes_.end(), runs_on) > 1)
      return task + " runs on two nodes at once";
  }
  return {};
}

/// Whether the pool has two sessions for one node.
bool link_world::has_two_sessions_of_a_node(const front& of) {
  std::set<std::uint64_t> seen;
  for (const auto& entry : of.pool.sessions().sessions()) {
    auto by = static_cast<std::uint64_t>(entry.second.by)
              % link_setting::most_connections;
    if (!entry.second.is_cut && !seen.insert(by).second)
      return true;
  }
  return false;
}

/// Whether the latest front takes a node for alive that has left it without
/// being dismissed.
bool link_world::has_left_unconfirmed() const {
  const auto& latest = fronts_.back();
  const auto& open = latest.pool.sessions().sessions();
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
    auto found = open.find(each.last);
    return each.machine.has_left() && !each.machine.is_dismissed()
           && each.serves + 1 == fronts_.size() && found != open.end()
           && !found->second.is_cut;
  });
}

/// Returns what is wrong with tasks of a node that no client waits for, or that
/// the pool wants back. The node has been told if it has acknowledged all
/// messages.
std::string link_world::wrong_stops(std::size_t at) const {
  const auto& member = nodes_[at];
  auto is_told = [&](const held_task& held) {
    const auto& of = fronts_[held.of];
    const auto& with = of.lines[address_of(at)].of_pool;
    return of.is != life::has_ended && is_latest(of, held.which)
           && fate_of(of, held.which).is_out && member.serves == held.of
           && member.machine.link().session() == with.stream.session()
           && of.pool.wants(with.stream.session()) && with.kept() == 0
           && !of.pool.has_to_flush();
  };
  for (const auto& each : member.running)
    if (const auto& of = fate_of(fronts_[each.of], each.which);
        !of.is_wanted && !each.stops && is_told(each))
      return "a handler that no client waits for is not asked to stop";
  for (const auto& each : member.queue)
    if (const auto& of = fate_of(fronts_[each.of], each.which);
        (!of.is_wanted || of.is_recalled) && is_told(each))
      return "a task that the pool wants back stays at its node";
  return {};
}

/// Whether the pool counts the tasks that it has sent to each node. Some wait
/// to be sent if there can be several in a message.
bool link_world::counts_tasks(const front& of) const {
  for (const auto& entry : of.pool.sessions().sessions()) {
    auto is_there = [&](const fate& each) {
      return each.is_out && each.at == entry.first;
    };
    auto given = static_cast<std::size_t>(
      std::count_if(of.fates.begin(), of.fates.end(), is_there));
    auto sent = of.pool.in_flight(entry.first);
    if (sent > given || (sent < given && how_.portion == 1))
      return false;
  }
  return true;
}

/// Whether more bytes are in flight to a node than its credit allows.
bool link_world::has_too_many_bytes(const front& of) const {
  constexpr auto credit = link_setting::credit;
  auto most = how_.largest <= credit / 2 ? credit : credit / 2 + how_.largest;
  const auto& open = of.pool.sessions().sessions();
  return std::any_of(open.begin(), open.end(), [&](const auto& each) {
    return of.pool.under_way(each.first) > most;
  });
}

/// Returns what is wrong with the numbers of tasks and bytes that pools and
/// nodes have.
std::string link_world::wrong_counts() const {
  for (const auto& each : fronts_) {
    if (each.is != life::has_ended && !counts_tasks(each))
      return "a pool counts its tasks wrongly";
    if (has_too_many_bytes(each))
      return "too many bytes are in flight";
  }
  for (const auto& each : nodes_)
    if (each.machine.waiting() != each.queue.size()
        || each.machine.running() != each.running.size())
      return "a node counts its tasks wrongly";
  return {};
}

std::string link_world::wrong_at_the_end() const {
  auto in_silence = wrong_in_silence();
  return in_silence.empty() ? wrong_in_peace() : in_silence;
}

/// Checks a future in which all nodes are silent. Each pool must give up all
/// nodes, and no task may stay in flight.
std::string link_world::wrong_in_silence() const {
  auto last = *this;
  for (auto i = 0; i < 8 * how_.parts; ++i) {
    ++last.time_;
    for (auto& each : last.fronts_)
      if (each.is == life::runs) {
        each.pool.ticked(last.now());
        last.carry_out(each);
      }
  }
  for (const auto& each : last.fronts_) {
    if (each.is != life::runs)
      continue;
    if (!each.pool.sessions().sessions().empty())
      return "a silent node is never given up";
    for (std::size_t i = 0; i < slots(); ++i)
      if (each.fates[i].is_out)
        return "task " + std::to_string(i + 1) + " never has an outcome";
  }
  return last.wrong();
}

/// Checks a future without faults, in which older fronts run on. Each task of
/// the latest front must get its outcome, each node must serve this front alone
/// or have left, and all messages must be acknowledged.
std::string link_world::wrong_in_peace() const {
  auto last = *this;
  last.make_peace();
  if (auto wrong = last.wrong(); !wrong.empty())
    return wrong;
  auto serves = false;
  for (std::size_t i = 0; i < how_.nodes; ++i) {
    const auto& at = last.nodes_[i].machine;
    if (auto wrong = last.wrong_node_in_peace(i); !wrong.empty())
      return wrong;
    serves |= !at.has_left() && !at.is_dismissed();
  }
  const auto& latest = last.fronts_.back();
  for (std::size_t i = 0; i < slots(); ++i) {
    for (const auto& each : last.fronts_)
      if (each.is == life::runs && each.fates[i].is_out)
        return "task " + std::to_string(i + 1) + " never has an outcome";
    if (!how_.queue && latest.fates[i].outcomes != 1
        && (serves || latest.fates[i].is != place::pool))
      return "task " + std::to_string(i + 1) + " never has an outcome";
  }
  return how_.queue ? last.wrong_queue_in_peace(serves) : std::string{};
}

/// Returns what is wrong with a node after a time without faults.
std::string link_world::wrong_node_in_peace(std::size_t which) const {
  const auto& at = nodes_[which];
  if (at.is_leaving && !at.machine.has_left() && !at.machine.is_dismissed())
    return "a node that leaves never gets a confirmation";
  if (at.machine.has_left() || at.machine.is_dismissed())
    return {};
  if (how_.one_address && which + 1 < nodes_.size())
    return at.machine.link().session() ? "two nodes of one address serve" : "";
  const auto& latest = fronts_.back();
  auto mine = session_of(latest, at);
  if (!latest.pool.wants(mine) || at.machine.link().session() != mine
      || at.serves + 1 != fronts_.size())
    return fronts_.size() == 1 ? "a node never serves again"
                               : "a node never serves the latest front";
  auto is_served_by = [&at](const front& each) {
    return each.is == life::runs && each.pool.wants(session_of(each, at));
  };
  if (std::count_if(fronts_.begin(), fronts_.end(), is_served_by) > 1)
    return "two fronts take a node for their own";
  const auto& with = latest.lines[address_of(which)];
  if (at.own.kept() + with.of_pool.kept() > 0)
    return "a message is never acknowledged";
  if (with.was_asked)
    return "a node that is asked for tasks never answers";
  return {};
}

/// Returns what is wrong with the queue after a time without faults. An older
/// front that runs keeps the tasks that it has.
std::string link_world::wrong_queue_in_peace(bool serves) const {
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const auto& entry = queue_[i];
    auto is_kept = entry.holder + 1 < fronts_.size()
                   && fronts_[entry.holder].is == life::runs;
    if (serves && !entry.is_stored && !is_kept)
      return "task " + std::to_string(i + 1) + " of the queue is never settled";
  }
  return {};
}

void link_world::make_peace() {
  how_.drops = how_.cuts = how_.forgeries = how_.expelled = 0;
  how_.leaving = how_.restarts = how_.unwanted = how_.recalls = 0;
  how_.pauses = how_.fronts = how_.unread = 0;
  how_.resumes_what_has_ended = false;
  for (auto i = 0; i < 12 * how_.parts; ++i) {
    for (auto steps = 0; steps < 1000 && goes_on_in_peace(); ++steps) {
      // once more
    }
    ++time_;
  }
}

/// Takes one step without a fault. Tasks are assigned only if no other step is
/// due.
bool link_world::goes_on_in_peace() {
  std::vector<link_step> all;
  list_steps(all);
  auto found = std::find_if(all.begin(), all.end(), [](const auto& each) {
    return each.must_come && each.act != &link_world::pass;
  });
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), [](const auto& each) {
      return each.act == &link_world::assign;
    });
  if (found == all.end() || !broken_.empty())
    return false;
  take(*found);
  return true;
}

} // namespace test
