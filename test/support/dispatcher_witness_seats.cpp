/// What holds where tasks take seats.

#include "support/dispatcher_witness.hpp"

#include <algorithm>

using libpool::assignment;
using libpool::decision;
using libpool::errc;
using libpool::outcome;
using libpool::task;
using libpool::too_wide;

namespace test {

// -- who has which seats ------------------------------------------------------

/// Of the workers that are well.
std::size_t dispatcher_witness::all_seats() const {
  std::size_t result = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    result += is_well(i) ? world_.workers[i].seats : 0;
  return result;
}

/// Of these, what is taken.
std::size_t dispatcher_witness::seats_charged() const {
  std::size_t result = 0;
  for (const auto& life : tasks_)
    result += life.on && is_well(*life.on) ? life.seats : 0;
  return result;
}

std::size_t dispatcher_witness::seats_taken(std::size_t task) const {
  std::size_t result = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i].on == task)
      result += std::min(world_.tasks[i].width, world_.workers[task].seats);
  return result;
}

/// Whether the pool has the seats that the task takes.
bool dispatcher_witness::fits(std::size_t task) const {
  auto all = all_seats();
  return seats_charged() + std::min(world_.tasks[task].width, all) <= all;
}

bool dispatcher_witness::has_place(std::size_t task) const {
  return is_fit(task) && seats_taken(task) < world_.workers[task].seats;
}

/// Whether it has room for the task in particular.
bool dispatcher_witness::has_room(std::size_t one, std::size_t task) const {
  auto seats = world_.workers[one].seats;
  return has_room(one)
         && (!how_.by_flows
             || seats_taken(one) + std::min(world_.tasks[task].width, seats)
                  <= seats);
}

bool dispatcher_witness::is_wider_than_all(std::size_t task) const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (workers_[i].known && !workers_[i].out)
      all += world_.workers[i].seats;
  return how_.by_flows && how_.within.too_wide == too_wide::refuse && all > 0
         && world_.tasks[task].width > all;
}

/// Of its flow, those that wait.
std::size_t dispatcher_witness::waiting_of_flow(std::size_t task) const {
  std::size_t result = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (world_.tasks[i].is == task::condition::waiting
        && world_.tasks[i].flow.hash() == world_.tasks[task].flow.hash())
      ++result;
  return result;
}

/// What goes next.
std::optional<std::size_t> dispatcher_witness::head() const {
  auto* result = order_.choose(world_.now);
  if (result == nullptr)
    return std::nullopt;
  return known_index_in(world_.tasks, result);
}

// -- what holds after every fact ----------------------------------------------

void dispatcher_witness::take_seats(std::size_t task, std::size_t one) {
  require(fits(task), "what is sent finds as many seats free as it takes");
  require(has_room(one, task), "a worker runs no more than its seats");
  tasks_[task].seats = std::min(world_.tasks[task].width, all_seats());
}

void dispatcher_witness::check_seats() const {
  for (std::size_t i = 0; i < workers_.size(); ++i)
    check_seats_of(i);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    check_queue_of(i);
  require(!world_.pool.limits_flows() || how_.by_flows,
          "only flows are limited one by one");
  if (how_.by_flows)
    check_flows();
}

void dispatcher_witness::check_seats_of(std::size_t task) const {
  const auto& seen = world_.workers[task];
  if (how_.when == assignment::lazy)
    require(seen.offered == has_room(task),
            "a worker that has room is offered, and no other");
  require(seen.room_hook.is_linked()
            == (how_.by_flows && seen.offered && some_have_seats_),
          "who is offered is found by its room, if rooms may differ");
  if (!how_.by_flows)
    return require(seen.seats_taken == 0 && seen.seats_charged == 0,
                   "seats are taken only where they are counted");
  std::size_t charged = 0;
  for (const auto& life : tasks_)
    charged += life.on == task ? life.seats : 0;
  require(seen.seats_taken <= seen.seats, "no worker runs more than its seats");
  require(seen.seats_taken == seats_taken(task)
            && seen.seats_charged == charged,
          "the seats of a worker are taken by what it was sent");
  require(seen.seated == is_well(task), "the pool counts who is well");
}

void dispatcher_witness::check_queue_of(std::size_t one) const {
  const auto& it = world_.tasks[one];
  auto is_somewhere = tasks_[one].known
                      && (tasks_[one].on || it.is == task::condition::waiting);
  require((it.queue != nullptr) == (how_.by_flows && is_somewhere),
          "what waits or is in flight is of a queue, and nothing else is");
  if (how_.by_flows && tasks_[one].on)
    require(it.seats == tasks_[one].seats,
            "a task takes as many seats as it is wide, and no more than all");
}

void dispatcher_witness::check_flows() const {
  require(order_.seats() == all_seats(), "the order is told of all seats");
  require(order_.refusals() == books().refused,
          "the order is told of each refusal");
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  for (const auto& row : order_.flows(tasks_.size() * 8)) {
    waiting += row.waiting;
    running += row.running;
  }
  auto in_flight = std::count_if(tasks_.begin(), tasks_.end(),
                                 [](const task_life& life) { return life.on; });
  order_.choose(world_.now); // as its model does
  require(order_.says_what_model_says(), "the order says of its flows what "
                                         "its model says");
  require(waiting == books().waiting
            && running == static_cast<std::uint64_t>(in_flight),
          "the flows have all that waits and all that is in flight");
}

// -- what holds after a dispatch ----------------------------------------------

/// It collects seats, or nobody is there; it is not there in vain otherwise.
void dispatcher_witness::check_head_waits_for_a_reason(std::size_t head) const {
  auto somebody_has_place = false;
  auto somebody_may = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    somebody_has_place = somebody_has_place || has_place(i);
    somebody_may = somebody_may || (may_run(head, i) && has_place(i));
    require(!fits(head) || !may_be_bound(head, i),
            "what goes next waits for seats only");
  }
  require(!somebody_has_place || somebody_may,
          "what nobody may run holds up nobody");
}

/// Nobody is there for it, or another one of its queue stands for it.
void dispatcher_witness::check_held_waits_for_a_reason(std::size_t what) const {
  auto stands_for_it = [&](const task& other) {
    return other.is == task::condition::waiting && !other.held
           && other.where == world_.tasks[what].where
           && other.queue == world_.tasks[what].queue;
  };
  auto somebody_does = std::any_of(world_.tasks.begin(), world_.tasks.end(),
                                   stands_for_it);
  for (std::size_t i = 0; i < workers_.size(); ++i)
    require(somebody_does || !may_run(what, i) || !has_place(i),
            "nothing is set aside while one of its workers has a seat");
}

/// Of a flow, what came first goes first, if everybody may run it.
void dispatcher_witness::check_flow_is_in_order(std::size_t task) const {
  const auto& it = world_.tasks[task];
  if (!how_.parts_flows || it.where != nullptr)
    return;
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (is_unsent(i) && world_.tasks[i].where == nullptr
        && world_.tasks[i].flow.hash() == it.flow.hash())
      require(goes_before(task, i), "the tasks of a flow go in their order");
}

// -- what holds when something is refused -------------------------------------

/// Why the task has been refused by now; errc{} if it has not.
errc dispatcher_witness::refusal_of(std::size_t task) const {
  for (const auto& made : made_)
    if (made.is == decision::kind::settle && made.how == outcome::refused
        && made.task == &world_.tasks[task])
      return made.why;
  return {};
}

void dispatcher_witness::check_seated_refusal(std::size_t task) const {
  auto why = refusal_of(task);
  if (why == errc::flow_full)
    require(how_.queue_limit
              && (how_.parts_flows ? waiting_of_flow(task) : books().waiting)
                   >= *how_.queue_limit,
            "only what finds its flow full is refused for that");
  else
    require(why == errc::queue_full && unsent() >= how_.within.capacity,
            "only a full pool refuses");
  if (head())
    return;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    require(!fits(task) || !may_be_bound(task, i),
            "nothing is refused that could start at once");
}

} // namespace test
