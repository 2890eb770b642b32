#include "link_world.hpp"

#include <algorithm>

namespace test {

using libpool::instant;

namespace {

constexpr auto lease = link_setting::lease * link_setting::quarter;

libpool::node_terms terms(const link_setting& how) {
  libpool::node_terms result;
  result.lease = lease;
  result.portion = how.portion;
  if (how.largest > 0)
    result.credit = link_setting::credit;
  return result;
}

} // namespace

link_world::link_world(const link_setting& how)
  : how_(how), queue_(how.queue ? how.tasks : 0) {
  begin_front(1);
  for (std::size_t i = 0; i < how.nodes; ++i) {
    nodes_.push_back(next_program(i));
    nodes_.back().machine.came_up(now());
    collect(i);
  }
}

/// Begins a front. Numbers of tasks of a queue differ between fronts, as in
/// reality.
void link_world::begin_front(std::uint64_t epoch) {
  constexpr unsigned apart = 8;
  fate first;
  if (how_.queue)
    first.attempts = static_cast<std::uint8_t>(apart * (epoch - 1));
  fronts_.push_back({epoch, libpool::node_connections{terms(how_)},
                     std::vector<line>(how_.nodes),
                     std::vector<fate>(slots(), first),
                     now() + how_.adopts * link_setting::quarter});
}

/// Returns a new program of a node, with its own connection unless all nodes
/// have one address.
link_world::node link_world::next_program(std::size_t which) {
  const libpool::incarnation who{++programs_};
  libpool::node_offer offer;
  offer.portion = how_.portion;
  offer.slots = how_.slots;
  offer.turn = how_.one_address ? which : 0;
  if (how_.largest > 0)
    offer.credit = link_setting::credit;
  return {who, connection{how_.one_address ? 0 : programs_ - 1},
          libpool::agent_connection{who, offer}};
}

/// Returns the node whose line has the end of the pool for this node.
std::size_t link_world::address_of(std::size_t which) const noexcept {
  return how_.one_address ? 0 : which;
}

instant link_world::now() const {
  return instant{}
         + (time_ + how_.parts) * (link_setting::quarter / how_.parts);
}

/// Returns the session that the front has for the node; 0 if there is none.
link_world::session link_world::session_of(const front& in, const node& which) {
  for (const auto& [mine, open] : in.pool.sessions().sessions())
    if (open.by == which.by)
      return mine;
  return {};
}

// -- possible steps -----------------------------------------------------------

void link_world::lister::must(bool is_possible, action act, const char* words,
                              std::size_t task, std::uint8_t one_in) const {
  may(is_possible, act, words, task, one_in);
  if (is_possible)
    to.back().must_come = true;
}

void link_world::lister::may(bool is_possible, action act, const char* words,
                             std::size_t task, std::uint8_t one_in) const {
  if (is_possible)
    to.push_back({act, words, false, one_in, static_cast<std::uint8_t>(front),
                  static_cast<std::uint8_t>(node),
                  static_cast<std::uint8_t>(task)});
}

void link_world::list_steps(std::vector<link_step>& to) const {
  to.clear();
  for (std::size_t i = 0; i < fronts_.size(); ++i)
    if (fronts_[i].is == life::runs)
      list_assignments(i, to);
  for (std::size_t i = 0; i < how_.nodes; ++i)
    list_steps_of_node(i, to);
  for (std::size_t i = 0; i < fronts_.size(); ++i)
    list_steps_of_front(i, to);
  lister{to}.must(time_ < how_.until, &link_world::pass, "time passes", 0, 4);
}

/// A node gets tasks if it serves, and, with `shares`, wants tasks.
void link_world::list_assignments(std::size_t by,
                                  std::vector<link_step>& to) const {
  const auto& of = fronts_[by];
  for (std::size_t i = 0; i < slots(); ++i) {
    const auto& task = of.fates[i];
    lister list{to, by};
    list.may(task.is_out && task.is_wanted && how_.unwanted > 0,
             &link_world::cancel, "no client waits for the task any more", i);
    list.may(task.is_out && !task.is_recalled && how_.recalls > 0,
             &link_world::recall, "the pool wants the task back", i);
    if (task.is_out || task.outcomes > 0 || task.is_forgotten
        || (how_.queue && (task.given == 0 || task.asks)))
      continue;
    for (const auto& open : of.pool.sessions().sessions()) {
      auto wants = of.pool.wants(open.first);
      list.node = static_cast<std::size_t>(open.first);
      list.may(wants && (!how_.shares || wants->window > 0),
               &link_world::assign, "the task is sent in the session", i, 1);
    }
  }
}

void link_world::list_steps_of_node(std::size_t which,
                                    std::vector<link_step>& to) const {
  const auto& at = nodes_[which];
  const auto& latest = fronts_.back();
  lister list{to, 0, which};
  auto may_begin = at.running.size() < how_.slots && !at.queue.empty()
                   && (how_.ignores_lease
                       || at.machine.link().may_begin(now()));
  using w = link_world;
  list.must(!at.running.empty(), &w::complete, "a task ends", 0, 16);
  list.must(may_begin, &w::begin, "a task begins");
  list.may(may_begin && how_.unread > 0, &w::refuse, "a task is not readable");
  list.may(at.is_whole && how_.cuts > 0, &w::cut, "the line is interrupted");
  list.may(!at.is_whole && at.knows_up, &w::notice, "the node notices this");
  list.must(!at.is_whole, &w::mend, "the line is mended", 0, 16);
  list.must(at.is_whole && !at.knows_up, &w::connect, "the node notices this");
  for (std::size_t i = 0; i < 6; ++i)
    list.may(how_.forgeries > 0, &w::forge, "a message for another node", i);
  list.may(how_.expelled > 0 && latest.is == life::runs
             && latest.pool.wants(session_of(latest, at)),
           &w::expel, "the node is expelled");
  list.may(how_.leaving > 0 && !at.is_leaving, &w::leave, "the node leaves");
  list.may(how_.restarts > 0, &w::restart, "the node starts another program");
  list.must(now() >= at.machine.next_tick(), &w::tick_node, "the node ticks");
  list.must(how_.portion > 1 && at.machine.has_to_flush(), &w::flush_node,
            "results are sent");
  for (list.front = 0; list.front < fronts_.size(); ++list.front) {
    const auto& by = fronts_[list.front];
    const auto& with = by.lines[which];
    list.must(!with.down.empty(), &w::arrive_at_node, "the node hears");
    list.may(!with.down.empty() && how_.drops > 0, &w::drop_to_node,
             "lost on the way to the node");
    list.must(!with.up.empty() && by.is == life::runs, &w::arrive_at_pool,
              "the front hears");
    list.may(!with.up.empty() && how_.drops > 0, &w::drop_to_pool,
             "lost on the way to the front");
  }
}

void link_world::list_steps_of_front(std::size_t which,
                                     std::vector<link_step>& to) const {
  const auto& of = fronts_[which];
  const lister list{to, which};
  using w = link_world;
  if (of.is == life::runs) {
    if (how_.queue)
      list_steps_of_queue(which, list);
    list.must(may_look(of), &w::tick_pool, "the front looks at its clock");
    list.must(how_.portion > 1 && of.pool.has_to_flush(), &w::flush_pool,
              "tasks are sent");
    list.may(how_.pauses > 0, &w::suspend, "the front stands still");
  }
  list.must(of.is == life::stands_still, &w::resume, "the front continues", 0,
            16);
  auto is_latest = how_.fronts > 0 && which + 1 == fronts_.size();
  list.may(is_latest, &w::end_front, "another front follows");
  list.may(is_latest && !how_.all_end, &w::stop_front,
           "the front stands still, and another one follows");
}

/// Whether the pool may look at its clock. It may do so once at each time, also
/// before it must.
bool link_world::may_look(const front& of) const {
  return of.looked != time_ && !of.pool.sessions().sessions().empty();
}

/// Whether the lines to fronts that run have room for further messages.
bool link_world::has_room() const noexcept {
  for (const auto& each : fronts_)
    for (const auto& with : each.lines)
      if (with.up.size() > how_.room || with.down.size() > how_.room)
        return false;
  return true;
}

} // namespace test
