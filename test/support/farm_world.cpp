#include "support/farm_world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

using libpool::instant;
using libpool::pool_end;
using namespace std::chrono_literals;

namespace test {

namespace {

constexpr libpool::duration lease = 1s;
constexpr std::size_t credit = 4096;

libpool::node_terms terms() {
  libpool::node_terms result;
  result.lease = lease;
  result.portion = 3;
  result.credit = credit;
  result.most_in_flight = 8;
  return result;
}

} // namespace

farm_world::farm_world(const farm_setting& how, std::uint64_t seed)
  : how_(how),
    random_(seed),
    now_(instant{} + 1h),
    pool_(terms()),
    nodes_(how.nodes),
    works_(how.tasks) {
  for (auto& each : nodes_)
    start_program(each);
}

bool farm_world::draw(std::size_t one_in) {
  return random_.below(one_in) == 0;
}

libpool::duration farm_world::draw_time(libpool::duration most) {
  return libpool::duration{static_cast<libpool::duration::rep>(
    random_.below(static_cast<std::size_t>(most.count()) + 1))};
}

// -- the course of events -----------------------------------------------------

std::string farm_world::run() {
  constexpr auto most_steps = 20'000;
  for (auto i = 0; i < most_steps && !is_over(); ++i) {
    step();
    if (auto found = wrong(); !found.empty())
      return found;
  }
  return is_over() ? std::string{} : "a task never has an outcome";
}

bool farm_world::is_over() const {
  return std::all_of(works_.begin(), works_.end(),
                     [](const work& each) { return each.outcomes > 0; });
}

void farm_world::step() {
  now_ += draw_time(lease / 32);
  if (how_.faults > 0 && draw(12)) {
    --how_.faults;
    have_fault();
  }
  auto first = random_.below(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto& at = nodes_[(first + i) % nodes_.size()];
    if (draw(2)) {
      node_acts(at);
      pool_acts(at);
    } else {
      pool_acts(at);
      node_acts(at);
    }
  }
}

/// What the pool does that has to do with that node.
void farm_world::pool_acts(node& at) {
  if (now_ < pool_stands_until_)
    return;
  for (auto i = untold_.begin(); i != untold_.end();) {
    if (now_ < i->second) {
      ++i;
      continue;
    }
    pool_.closed(i->first);
    i = untold_.erase(i);
  }
  while (!at.up.empty() && at.up.front().arrives <= now_ && !draw(4)) {
    auto next = std::move(at.up.front());
    at.up.pop_front();
    pool_.told(at.by, next.letter, next.bytes, now_);
    carry_out();
  }
  if (now_ >= pool_.next_tick() && draw(2))
    pool_.ticked(now_);
  carry_out();
  place();
  cancel_some();
  if (pool_.has_to_flush() && draw(3))
    pool_.flush(now_);
  carry_out();
}

void farm_world::node_acts(node& at) {
  if (now_ < at.stands_until)
    return;
  if (now_ >= at.learns) {
    at.learns = libpool::never;
    at.machine->disconnected();
    collect(at);
    at.connects = now_ + draw_time(lease / 2);
  }
  if (now_ >= at.connects)
    connect(at);
  while (!at.down.empty() && at.down.front().arrives <= now_ && !draw(4)) {
    auto next = std::move(at.down.front());
    at.down.pop_front();
    if (const auto* sent =
          std::get_if<libpool::tasks_sent>(&next.letter.content))
      for (auto each : sent->tasks)
        at.contents.insert(each);
    at.machine->told(next.letter, next.bytes, now_);
    collect(at);
  }
  if (now_ >= at.machine->next_tick() && draw(2)) {
    at.machine->ticked(now_);
    collect(at);
  }
  end_tasks(at);
  begin_tasks(at);
  if (at.machine->has_to_flush() && draw(3))
    at.machine->flush();
  collect(at);
  if (at.machine->has_left() || at.machine->is_dismissed())
    if (at.running.empty() && at.up.empty())
      start_program(at);
}

// -- faults -------------------------------------------------------------------

void farm_world::have_fault() {
  auto& at = nodes_[random_.below(nodes_.size())];
  switch (random_.below(8)) {
    case 0:
    case 1:
      return close(at);
    case 2:
      at.blocked_until = now_ + draw_time(2 * lease);
      return;
    case 3:
      at.stands_until = now_ + draw_time(3 * lease);
      return;
    case 4:
      pool_stands_until_ = now_ + draw_time(2 * lease);
      return;
    case 5:
      close(at);
      return start_program(at);
    case 6:
      at.machine->leave();
      return collect(at);
    default:
      if (!windows_.empty())
        pool_.expelled(windows_.begin()->first);
      return carry_out();
  }
}

/// Ends the program of the node, if one runs, and starts another one.
void farm_world::start_program(node& at) {
  if (at.is_open)
    close(at);
  at.learns = libpool::never;
  at.running.clear();
  at.contents.clear();
  libpool::node_offer offer;
  offer.slots = 1 + random_.below(2);
  offer.portion = 3;
  offer.credit = credit;
  at.machine = std::make_unique<libpool::node_end>(
    libpool::incarnation{++programs_}, offer);
  at.connects = now_ + draw_time(lease / 4);
}

void farm_world::close(node& at) {
  if (!at.is_open)
    return;
  at.is_open = false;
  at.up.clear();
  at.down.clear();
  at.blocked_until = {};
  at.learns = now_ + draw_time(draw(2) ? lease / 8 : 2 * lease);
  untold_[at.by] = now_ + draw_time(draw(2) ? lease / 8 : 2 * lease);
}

void farm_world::connect(node& at) {
  at.connects = libpool::never;
  at.is_open = true;
  at.by = libpool::connection_number{++connections_};
  at.machine->connected(now_);
  collect(at);
}

// -- messages -----------------------------------------------------------------

template <class Letter>
void farm_world::send(std::deque<under_way<Letter>>& by, const node& at,
                      Letter letter, std::size_t bytes) {
  auto arrives = std::max(now_, at.blocked_until) + draw_time(lease / 16);
  if (!by.empty())
    arrives = std::max(arrives, by.back().arrives);
  by.push_back({arrives, std::move(letter), bytes});
}

/// Sends what the node has to tell, if there is a connection.
void farm_world::collect(node& at) {
  for (auto each : std::exchange(at.machine->forgotten(), {}))
    at.contents.erase(each);
  for (auto& each : std::exchange(at.machine->letters(), {})) {
    std::size_t bytes = 0;
    if (const auto* done = std::get_if<libpool::tasks_done>(&each.content))
      bytes = done->ends.size();
    if (at.is_open)
      send(at.up, at, std::move(each), bytes);
  }
}

void farm_world::carry_out() {
  for (auto& each : std::exchange(pool_.decisions(), {})) {
    if (auto* letter = std::get_if<pool_end::deliver>(&each)) {
      std::size_t bytes = 0;
      if (const auto* sent =
            std::get_if<libpool::tasks_sent>(&letter->letter.content))
        for (auto task : sent->tasks)
          bytes += tries_.at(task).bytes;
      for (auto& to : nodes_)
        if (to.by == letter->to && to.is_open)
          send(to.down, to, std::move(letter->letter), bytes);
    } else if (const auto* in = std::get_if<pool_end::admit>(&each)) {
      windows_[in->session] = 0;
      ++seen_.sessions;
    } else if (const auto* size = std::get_if<pool_end::resize>(&each)) {
      if (auto found = windows_.find(size->session); found != windows_.end())
        found->second = size->window;
    } else if (const auto* out = std::get_if<pool_end::dismiss>(&each)) {
      windows_.erase(out->session);
    } else if (const auto* told = std::get_if<pool_end::release>(&each)) {
      release(*told);
    }
  }
  seen_.strays = pool_.strays();
}

// -- tasks --------------------------------------------------------------------

/// Gives tasks that wait to nodes that want some.
void farm_world::place() {
  for (std::size_t i = 0; i < works_.size(); ++i) {
    if (!works_[i].is_with_pool || works_[i].outcomes > 0 || windows_.empty())
      continue;
    auto to = windows_.begin();
    std::advance(to, random_.below(windows_.size()));
    if (in_flight_[to->first] >= to->second)
      continue;
    number task{++attempts_};
    attempt made;
    made.of = i;
    made.to = to->first;
    made.bytes = random_.below(how_.largest + 1);
    tries_.emplace(task, made);
    auto waits = how_.retries > 0 && !how_.does_not_wait;
    if (!pool_.submitted(task, to->first, made.bytes, waits, now_)) {
      tries_.erase(task);
      continue;
    }
    works_[i].is_with_pool = false;
    ++in_flight_[to->first];
    carry_out();
  }
}

/// Nobody waits any more for some tasks that nodes have.
void farm_world::cancel_some() {
  for (auto& [task, each] : tries_) {
    auto& of = works_[each.of];
    if (!each.is_out || !of.is_wanted || !draw(how_.unwanted))
      continue;
    of.is_wanted = false;
    each.begins_no_more = each.begins_no_more || how_.takes_back_unasked;
    pool_.unwanted(task, each.to, now_);
  }
  carry_out();
}

/// It has not begun: another node may have it, if somebody wants it still.
void farm_world::come_back(attempt& last) {
  auto& of = works_[last.of];
  last.begins_no_more = true;
  if (of.is_wanted) {
    of.is_with_pool = !how_.loses_what_comes_back;
    return;
  }
  ++of.outcomes;
  ++seen_.cancelled;
}

void farm_world::release(const pool_end::release& told) {
  auto found = tries_.find(told.task);
  if (found == tries_.end() || !found->second.is_out) {
    broken_ = "a task is released that is nowhere";
    return;
  }
  found->second.is_out = false;
  --in_flight_[found->second.to];
  auto& of = works_[found->second.of];
  using fate = pool_end::fate;
  if (told.how == fate::completed) {
    ++of.outcomes;
    ++seen_.completed;
  } else if (told.how == fate::given_back) {
    ++seen_.given_back;
    come_back(found->second);
  } else if (told.how == fate::unread) {
    ++seen_.unread;
    come_back(found->second);
  } else {
    seen_.lost += told.how == fate::lost ? 1 : 0;
    found->second.begins_no_more = how_.retries > 0;
    if (++of.tries <= how_.retries) {
      of.is_with_pool = true;
    } else {
      ++of.outcomes;
      ++seen_.failed;
    }
  }
}

void farm_world::begin_tasks(node& at) {
  auto when = how_.ignores_lease ? instant{} : now_;
  while (auto next = at.machine->start(when)) {
    if (at.contents.erase(*next) == 0)
      broken_ = "a task begins whose content is not there";
    auto& begun = tries_.at(*next);
    if (begun.begins_no_more)
      broken_ = "a task begins that the pool has others run";
    if (draw(how_.unread)) {
      at.machine->unreadable(*next, "unknown");
      continue;
    }
    ++works_[begun.of].runs;
    at.running.emplace(*next, now_ + draw_time(draw(6) ? lease : lease / 32));
  }
}

void farm_world::end_tasks(node& at) {
  for (auto i = at.running.begin(); i != at.running.end();) {
    if (now_ < i->second) {
      ++i;
      continue;
    }
    auto how = draw(9) ? libpool::ending::crashed : libpool::ending::completed;
    at.machine->finished(i->first, how, 1, now_);
    i = at.running.erase(i);
  }
}

// -- what is wrong ------------------------------------------------------------

std::string farm_world::wrong() const {
  auto most_under_way = how_.largest <= credit / 2 ? credit
                                                   : credit / 2 + how_.largest;
  if (!broken_.empty())
    return broken_;
  for (const auto& each : works_) {
    if (each.outcomes > 1)
      return "a task has more than one outcome";
    if (each.runs > 1 + how_.retries)
      return "a task ran too often";
  }
  for (const auto& entry : windows_)
    if (pool_.under_way(entry.first) > most_under_way)
      return "too many bytes are under way";
  return {};
}

} // namespace test
