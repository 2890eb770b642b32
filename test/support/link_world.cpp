#include "support/link_world.hpp"

#include <algorithm>

using libpool::instant;

namespace test {

using link_kind = link_step::kind;

namespace {

constexpr auto quarter = link_setting::quarter;

link_step step(link_kind is, std::size_t node = 0, std::size_t task = 0,
               bool is_up = false, std::size_t front = 0) {
  return {is, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(task),
          is_up, static_cast<std::uint8_t>(front)};
}

libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = link_setting::lease * quarter;
  result.portion = 1;
  return result;
}

libpool::node_offer offer(std::uint64_t turn) {
  libpool::node_offer result;
  result.portion = 1;
  result.turn = turn;
  return result;
}

} // namespace

link_world::node::node(libpool::incarnation run, connection with,
                       std::uint64_t turn)
  : who(run), machine(run, offer(turn)), by(with) {
  // nop
}

link_world::front::front(std::uint64_t run, std::size_t nodes)
  : epoch(run), pool(terms()), lines(nodes) {
  // nop
}

link_world::link_world(const link_setting& how) : how_(how) {
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
  auto& next = fronts_.emplace_back(epoch, how_.nodes);
  next.adopts_until = now() + how_.adopts * quarter;
  if (how_.queue)
    for (auto& each : next.fates)
      each.attempts = static_cast<std::uint8_t>(apart * (epoch - 1));
}

/// Returns a new program of a node, with its own connection unless all nodes
/// have one address.
link_world::node link_world::next_program(std::size_t which) {
  ++programs_;
  return {libpool::incarnation{programs_},
          connection{how_.one_address ? 0 : programs_ - 1},
          how_.one_address ? which : 0};
}

/// Returns the node whose line has the end of the pool for this node.
std::size_t link_world::address_of(std::size_t which) const noexcept {
  return how_.one_address ? 0 : which;
}

instant link_world::now() const {
  return instant{} + (time_ + 1) * quarter;
}

/// Returns the session that the front has for the node; 0 if there is none.
link_world::session link_world::session_of(const front& in, const node& which) {
  for (const auto& [mine, open] : in.pool.sessions().sessions())
    if (open.by == which.by)
      return mine;
  return {};
}

// -- possible steps -----------------------------------------------------------

void link_world::list_steps(std::vector<link_step>& to) const {
  to.clear();
  for (std::size_t i = 0; i < fronts_.size(); ++i)
    if (fronts_[i].is == life::runs)
      list_assignments(i, to);
  for (std::size_t i = 0; i < how_.nodes; ++i) {
    list_steps_of(i, to);
    list_messages(i, to);
  }
  for (std::size_t i = 0; i < fronts_.size(); ++i)
    list_steps_of_front(i, to);
  if (time_ < how_.until)
    to.push_back(step(link_kind::pass));
}

void link_world::list_assignments(std::size_t by,
                                  std::vector<link_step>& to) const {
  const auto& of = fronts_[by];
  for (std::size_t i = 0; i < slots(); ++i) {
    const auto& task = of.fates[i];
    if (task.is_out && task.is_wanted && how_.unwanted > 0)
      to.push_back(step(link_kind::cancel, 0, i, false, by));
    if (task.is_out && !task.is_recalled && how_.recalls > 0)
      to.push_back(step(link_kind::recall, 0, i, false, by));
    if (task.is_out || task.outcomes > 0
        || (how_.queue && (task.given == 0 || task.asks)))
      continue;
    for (const auto& open : of.pool.sessions().sessions())
      if (takes_tasks(of, open.first))
        to.push_back(step(link_kind::assign,
                          static_cast<std::size_t>(open.first), i, false, by));
  }
}

/// Whether the node of the session serves, and, with `shares`, wants tasks.
bool link_world::takes_tasks(const front& by, session which) const {
  auto wants = by.pool.wants(which);
  return wants && (!how_.shares || wants->window > 0);
}

void link_world::list_steps_of(std::size_t at,
                               std::vector<link_step>& to) const {
  const auto& member = nodes_[at];
  if (!member.running.empty())
    to.push_back(step(link_kind::complete, at));
  else if (may_begin(member))
    to.push_back(step(link_kind::begin, at));
  if (member.is_whole && how_.cuts > 0)
    to.push_back(step(link_kind::cut, at));
  if (!member.is_whole && member.knows_up)
    to.push_back(step(link_kind::notice, at));
  if (!member.is_whole)
    to.push_back(step(link_kind::mend, at));
  if (member.is_whole && !member.knows_up)
    to.push_back(step(link_kind::connect, at));
  if (how_.forgeries > 0)
    for (std::size_t i = 0; i < 6; ++i)
      to.push_back(step(link_kind::forge, at, i));
  if (how_.expelled > 0 && fronts_.back().is == life::runs
      && fronts_.back().pool.wants(session_of(fronts_.back(), member)))
    to.push_back(step(link_kind::expel, at));
  if (how_.leaving > 0 && !member.is_leaving)
    to.push_back(step(link_kind::leave, at));
  if (how_.restarts > 0)
    to.push_back(step(link_kind::restart, at));
  if (now() >= member.machine.next_tick())
    to.push_back(step(link_kind::tick_node, at));
}

void link_world::list_messages(std::size_t at,
                               std::vector<link_step>& to) const {
  for (std::size_t i = 0; i < fronts_.size(); ++i)
    for (auto is_up : {false, true}) {
      const auto& with = fronts_[i].lines[at];
      if (is_up ? with.up.empty() : with.down.empty())
        continue;
      if (!is_up || fronts_[i].is == life::runs)
        to.push_back(step(link_kind::arrive, at, 0, is_up, i));
      if (how_.drops > 0)
        to.push_back(step(link_kind::drop, at, 0, is_up, i));
    }
}

void link_world::list_steps_of_front(std::size_t which,
                                     std::vector<link_step>& to) const {
  const auto& of = fronts_[which];
  if (of.is == life::runs && how_.queue)
    list_steps_of_queue(which, to);
  if (of.is == life::runs && may_look(of))
    to.push_back(step(link_kind::tick_pool, 0, 0, false, which));
  if (of.is == life::runs && how_.pauses > 0)
    to.push_back(step(link_kind::suspend, 0, 0, false, which));
  if (of.is == life::stands_still)
    to.push_back(step(link_kind::resume, 0, 0, false, which));
  if (how_.fronts > 0 && which + 1 == fronts_.size())
    for (auto stands_still : {false, true})
      if (!stands_still || !how_.all_end)
        to.push_back(step(link_kind::succeed, 0, 0, stands_still, which));
}

/// Whether the pool may look at its clock. It may do so once in each quarter,
/// also before it must.
bool link_world::may_look(const front& of) const {
  return of.looked != time_ && !of.pool.sessions().sessions().empty();
}

bool link_world::may_begin(const node& at) const {
  return !at.queue.empty()
         && (how_.ignores_lease || at.machine.link().may_begin(now()));
}

bool link_world::must_come(const link_step& step) noexcept {
  switch (step.is) {
    case link_kind::assign:
    case link_kind::cancel:
    case link_kind::recall:
    case link_kind::drop:
    case link_kind::cut:
    case link_kind::notice:
    case link_kind::forge:
    case link_kind::expel:
    case link_kind::leave:
    case link_kind::restart:
    case link_kind::succeed:
    case link_kind::suspend:
      return false;
    default:
      return true;
  }
}

/// Whether the lines to fronts that run have room for further messages.
bool link_world::has_room() const noexcept {
  auto has_room = [this](const line& with) {
    return with.up.size() <= how_.room && with.down.size() <= how_.room;
  };
  return std::all_of(fronts_.begin(), fronts_.end(), [&](const front& each) {
    return std::all_of(each.lines.begin(), each.lines.end(), has_room);
  });
}

} // namespace test
