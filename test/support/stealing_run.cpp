#include "support/stealing_run.hpp"

#include "support/dispatcher_witness.hpp"
#include "support/dispatcher_world.hpp"
#include "support/stealing_facts.hpp"
#include "support/watched_order.hpp"
#include "support/watched_placement.hpp"
#include "support/watched_stealing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::never;
using libpool::task;
using libpool::worker;
using std::chrono::milliseconds;

namespace test {

namespace {

// More than four victims, and more than sixteen tasks of each.
constexpr std::size_t tasks = 40;
constexpr std::size_t workers = 9;

libpool::cost_aware_options options() {
  libpool::cost_aware_options result;
  result.alpha = 0.5;
  result.initial_estimate = milliseconds{2};
  return result;
}

class run {
public:
  explicit run(bool moves_are_dear)
    : world_(composed_of(), how().within),
      surroundings_(prepared(world_), moves_are_dear),
      witness_(world_, *order_, *placement_, how()) {
    for (std::size_t i = 0; i < 2; ++i)
      join(i);
  }

  void tell(const stealing_fact& fact) {
    auto which = kind_of(fact);
    auto pick = static_cast<std::size_t>(fact[1]);
    log_ += text_of(fact);
    if (which == kind::submit)
      submit(fact);
    else if (which == kind::tick)
      pass(fact[2]);
    else if (which >= kind::join)
      tell_of_worker(which, pick % workers);
    else
      tell_of_task(which, pick % tasks);
    check();
    if (fact[0] < 192)
      dispatch();
  }

  void end() {
    for (std::size_t i = 0; i < workers; ++i)
      if (witness_.of_worker(i).known)
        witness_.resumed(i);
    note_dry();
    for (std::size_t i = 0; i < 4 * tasks; ++i) {
      pass(255);
      dispatch();
      for (std::size_t j = 0; j < tasks; ++j)
        if (witness_.of_task(j).on)
          finish(j, ending::completed);
    }
    require(books().assigned + books().sent + books().running == 0,
            "what is bound is done");
    for (std::size_t i = 0; i < workers; ++i)
      witness_.left(i);
    witness_.abandoned(libpool::errc::no_workers);
    check();
    witness_.check_the_end();
    for (const auto& worker : world_.workers)
      require(worker.booked == nullptr,
              "nothing is known of those that have left");
  }

  const std::string& log() const {
    return log_;
  }

  stealing_outcome outcome() const {
    stealing_outcome result;
    result.steals = world_.pool.steals();
    result.completed = books().completed;
    result.doublings = doublings_;
    return result;
  }

private:
  libpool::composition composed_of() {
    auto result = composed(libpool::assignment::eager, false);
    auto order = std::make_unique<watched_order>(std::move(result.order));
    auto placement =
      std::make_unique<watched_placement>(std::move(result.placement));
    auto stealing = std::make_unique<watched_stealing>(options());
    order_ = order.get();
    placement_ = placement.get();
    stealing_ = stealing.get();
    result.order = std::move(order);
    result.placement = std::move(placement);
    result.stealing = std::move(stealing);
    return result;
  }

  static makeup how() {
    makeup result;
    result.within.retries = 1;
    result.when = libpool::assignment::eager;
    result.steals = result.weighs_costs = result.moves_by_plan = true;
    return result;
  }

  static dispatcher_world& prepared(dispatcher_world& world) {
    world.tasks.resize(tasks);
    world.workers.resize(workers);
    for (std::size_t i = 0; i < workers; ++i)
      world.workers[i].window = i == 1 ? 2 : i == 2 ? 3 : 1;
    return world;
  }

  // -- facts ------------------------------------------------------------------

  void submit(const stealing_fact& fact) {
    for (std::size_t i = 0; i < tasks; ++i)
      if (!witness_.of_task(i).known) {
        stealing_->forget(world_.tasks[i]);
        surroundings_.describe(world_.tasks[i], fact);
        return witness_.submitted(i);
      }
  }

  void tell_of_task(kind which, std::size_t first) {
    for (std::size_t i = 0; i < tasks; ++i)
      if (auto task = (first + i) % tasks; is_possible(which, task))
        return tell(which, task);
  }

  bool is_possible(kind which, std::size_t task) const {
    const auto& life = witness_.of_task(task);
    if (which == kind::cancel)
      return life.known && !life.settled;
    if (which == kind::start)
      return life.on && !life.begun;
    if (which == kind::come_back)
      return life.on && !life.begun && life.recalled;
    return life.on.has_value();
  }

  void tell(kind which, std::size_t task) {
    if (which == kind::start)
      witness_.started(task);
    else if (which == kind::cancel)
      witness_.cancelled(task, libpool::errc::client_gone);
    else if (which == kind::come_back)
      come_back(task);
    else
      finish(task, which == kind::crash ? ending::crashed : ending::completed);
  }

  void come_back(std::size_t task) {
    witness_.returned(task);
    note_dry();
  }

  void finish(std::size_t task, ending how) {
    witness_.finished(task, how);
    note_dry();
  }

  void pass(unsigned byte) {
    constexpr std::array<int, 8> steps{0, 0, 1, 1, 2, 3, 7, 40};
    world_.now += milliseconds{steps[byte % steps.size()]};
    witness_.ticked();
  }

  void join(std::size_t worker) {
    if (!witness_.of_worker(worker).known)
      world_.workers[worker].number = libpool::worker_number{joined_++};
    witness_.joined(worker);
    note_dry();
  }

  void tell_of_worker(kind which, std::size_t worker) {
    if (which == kind::join)
      return join(worker);
    if (which == kind::retire)
      witness_.retired(worker);
    if (which == kind::pause)
      witness_.paused(worker);
    if (which == kind::resume)
      witness_.resumed(worker);
    if (which == kind::leave)
      leave(worker);
  }

  void leave(std::size_t worker) {
    witness_.left(worker);
    for (auto& mailbox = world_.workers[worker].mailbox; !mailbox.empty();) {
      auto task = index_in(world_.tasks, &mailbox.front());
      if (!witness_.of_task(task).begun)
        come_back(task);
      else
        finish(task, ending::crashed);
    }
  }

  void dispatch() {
    witness_.ticked();
    note_dry();
    auto before = books();
    auto steals = world_.pool.steals();
    stealing_->dispatches();
    witness_.dispatched();
    require(before.accepted == books().accepted, "a dispatch accepts nothing");
    require(stealing_->moves() == stealing_->planned(),
            "what moves is what the plan says, in its order");
    require(world_.pool.steals() == steals + stealing_->moves().size(),
            "what moves is counted");
    require(plan(stealing_->snapshot(world_.now)).empty(),
            "nothing is left that should move");
    check();
    check_next_tick();
  }

  // -- laws -------------------------------------------------------------------

  const libpool::ledger& books() const {
    return world_.pool.books();
  }

  void check() {
    note_dry();
    if (const auto* law = stealing_->complaint())
      throw broken_law{law};
    require(books().refused == 0, "what is submitted is accepted");
  }

  /// A worker is idle since the moment at which that is seen first.
  void note_dry() {
    for (const auto& worker : world_.workers)
      if (!is_dry(worker))
        idle_since_.erase(&worker);
      else
        idle_since_.emplace(&worker, world_.now);
    require(idle_since_ == stealing_->idle_since(),
            "it is told who is idle, and since when");
  }

  void check_next_tick() {
    auto expected = never;
    for (const auto& worker : world_.workers)
      if (worker.rest_hook.is_linked())
        expected = std::min(expected, worker.rests_until);
    auto might_move = [](const task& task) {
      return task.is == task::condition::assigned && !task.key
             && (task.where == nullptr || task.where->loose
                 || task.where->only.size() > 1);
    };
    if (!idle_since_.empty()
        && std::any_of(world_.tasks.begin(), world_.tasks.end(), might_move)) {
      auto doubling = stealing_->next_doubling(world_.now);
      doublings_ += doubling < expected ? 1U : 0U;
      expected = std::min(expected, doubling);
    }
    require(world_.pool.next_tick() == expected,
            "the next tick is the end of a rest, or a doubling, if somebody is "
            "dry and something might move");
  }

  watched_order* order_ = nullptr;
  watched_placement* placement_ = nullptr;
  watched_stealing* stealing_ = nullptr;
  dispatcher_world world_;
  stealing_surroundings surroundings_;
  dispatcher_witness witness_;
  std::uint64_t joined_ = 0;
  std::size_t doublings_ = 0;
  std::map<const worker*, instant> idle_since_;
  std::string log_;
};

} // namespace

stealing_outcome run_stealing(const std::vector<stealing_fact>& facts,
                              bool moves_are_dear) {
  run r{moves_are_dear};
  try {
    for (const auto& fact : facts)
      r.tell(fact);
    r.end();
  } catch (const broken_law& law) {
    stealing_outcome result;
    result.broken = std::string{"broken: "} + law.what() + "\n" + r.log();
    return result;
  }
  return r.outcome();
}

} // namespace test
