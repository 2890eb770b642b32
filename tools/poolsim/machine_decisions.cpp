/// Decisions of the dispatcher.

#include "machine.hpp"

#include <cassert>
#include <utility>

namespace poolsim {

namespace {

using libpool::decision;

fate fate_of(libpool::outcome outcome) {
  switch (outcome) {
    case libpool::outcome::completed:
      return fate::completed;
    case libpool::outcome::failed:
      return fate::failed;
    case libpool::outcome::cancelled:
      return fate::cancelled;
    default:
      return fate::refused;
  }
}

} // namespace

/// Has the dispatcher send tasks. With leases, tasks that come back are sent by
/// a later call, as in managed pools. With a time limit, tasks of a worker that
/// has reached it wait again.
void machine::decide() {
  auto goes_on = scenario_.leases || scenario_.time_limit;
  bool has_decided = false;
  do {
    if (scenario_.stand_ins > 0 || sizing_)
      keep_staffed();
    pool_.dispatch(now());
    has_decided = !pool_.decisions().empty();
    carry_out();
  } while (has_decided && goes_on);
}

/// Carries out all decisions, including those that are added meanwhile. A call
/// while a decision is carried out leaves the rest to the outer call.
void machine::carry_out() {
  if (std::exchange(carries_out_, true))
    return;
  auto& all = pool_.decisions();
  for (std::size_t done = 0; done < all.size();)
    carry_out(decision{all[done++]});
  all.clear();
  carries_out_ = false;
}

void machine::carry_out(const decision& decision) {
  switch (decision.is) {
    case decision::kind::send: {
      auto& place = static_cast<server&>(*decision.worker);
      auto& task = static_cast<job&>(*decision.task);
      if (nodes_ != nullptr)
        return nodes_->send(task, place, now_);
      assert(task.run == 0); // no task comes back that others follow
      place.inbox.push_back(&task);
      send_followers(task, place);
      if (task.gather != nullptr)
        gathers_.sent(task, now_);
      return start_next(place);
    }
    case decision::kind::look:
      return look(static_cast<job&>(*decision.task));
    case decision::kind::end:
      settle(decision);
      return release(static_cast<job&>(*decision.task));
    case decision::kind::settle:
      return settle(decision);
    case decision::kind::give_up:
      return ask_to_stop(static_cast<job&>(*decision.task));
    case decision::kind::release:
      return release(static_cast<job&>(*decision.task));
    case decision::kind::recall:
      return recall(static_cast<job&>(*decision.task),
                    static_cast<server&>(*decision.worker));
    case decision::kind::dismiss:
      if (nodes_ != nullptr)
        nodes_->forget(static_cast<server&>(*decision.worker));
      return;
  }
}

void machine::release(job& task) {
  if (task.gather != nullptr)
    gathers_.released(task, now_);
  forget(task);
}

/// Reports when the run of the task has begun.
void machine::look(job& job) {
  auto has_begun = job.run != 0;
  pool_.looked_at(job, has_begun ? job.started : libpool::never, now());
}

void machine::settle(const decision& decision) {
  auto& settled = static_cast<job&>(*decision.task);
  if (const auto* leader = settled.notes().ran_with)
    note_joined(settled, static_cast<const job&>(*leader));
  last_ = now_;
  note_end(settled, decision);
  if (settled.gather != nullptr)
    gathers_.settled(settled, decision.how, now_);
  else if (decision.how != libpool::outcome::refused)
    arrivals_.answered(settled.from, now_);
}

void machine::note_end(const job& settled, const decision& decision) {
  if (decision.how == libpool::outcome::refused)
    return books_.refused(settled.id, decision.why);
  auto& row = books_.row(settled.id);
  row.moves = settled.notes().steals;
  if (decision.worker != nullptr) // it still runs there
    row.worker =
      static_cast<std::uint32_t>(static_cast<server&>(*decision.worker).id);
  books_.answered(settled.id, fate_of(decision.how), decision.why, now_);
}

} // namespace poolsim
