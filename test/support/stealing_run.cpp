#include "support/stealing_run.hpp"

#include "support/dispatcher_world.hpp"
#include "support/stealing_facts.hpp"
#include "support/watched_stealing.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

using libpool::decision;
using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::never;
using libpool::task;
using libpool::worker;
using std::chrono::milliseconds;

namespace test {

namespace {

using kind = stealing_kind;

// More than four victims, and more than sixteen tasks of each.
constexpr std::size_t tasks = 40;
constexpr std::size_t workers = 9;

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool holds, const char* law) {
  if (!holds)
    throw broken{law};
}

libpool::cost_aware_options options() {
  libpool::cost_aware_options result;
  result.alpha = 0.5;
  result.initial_estimate = milliseconds{2};
  return result;
}

class run {
public:
  explicit run(bool moves_are_dear)
    : stealing_(*made_),
      world_(composed_of(std::move(made_)), retrying()),
      surroundings_(world_, moves_are_dear) {
    world_.tasks.resize(tasks);
    world_.workers.resize(workers);
    for (std::size_t i = 0; i < workers; ++i)
      world_.workers[i].window = i == 1 ? 2 : i == 2 ? 3 : 1;
    for (std::size_t i = 0; i < 2; ++i)
      join(i);
  }

  void tell(const stealing_fact& fact) {
    auto which = kind_of(fact);
    auto pick = static_cast<std::size_t>(fact[1]);
    log_ += text_of(fact);
    if (which == kind::submit)
      submit(fact);
    else if (which == kind::pass)
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
    for (auto& who : world_.workers)
      if (who.is == worker::condition::serving)
        world_.pool.resumed(who, world_.now);
    note_dry();
    for (std::size_t i = 0; i < 4 * tasks; ++i) {
      pass(255);
      dispatch();
      for (auto& what : world_.tasks)
        if (what.is == task::condition::sent
            || what.is == task::condition::running
            || what.is == task::condition::overdue)
          finish(what, ending::completed);
    }
    require(books().assigned + books().sent + books().running == 0,
            "what is bound is done");
    for (auto& who : world_.workers)
      world_.pool.left(who, world_.now);
    world_.pool.abandoned(libpool::errc::no_workers, world_.now);
    check();
    require(books().open() == 0 && settled_ == accepted_,
            "everything is settled once");
    for (const auto& who : world_.workers)
      require(who.booked == nullptr,
              "nothing is known of those that have left");
    require(world_.pool.next_tick() == never, "in the end no tick is due");
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
  static libpool::composition
  composed_of(std::unique_ptr<libpool::stealing> which) {
    auto result = composed(libpool::assignment::eager, false);
    result.stealing = std::move(which);
    return result;
  }

  static libpool::limits retrying() {
    libpool::limits result;
    result.retries = 1;
    return result;
  }

  // -- facts ------------------------------------------------------------------

  void submit(const stealing_fact& fact) {
    auto i = std::find_if(
      world_.tasks.begin(), world_.tasks.end(),
      [](const task& each) { return each.is == task::condition::unknown; });
    if (i == world_.tasks.end())
      return;
    auto& what = *i;
    stealing_.forget(what);
    surroundings_.describe(what, fact);
    ++accepted_;
    world_.pool.submitted(what, world_.now);
  }

  void tell_of_task(kind which, std::size_t first) {
    for (std::size_t i = 0; i < tasks; ++i) {
      auto& what = world_.tasks[(first + i) % tasks];
      if (is_possible(which, what))
        return tell(which, what);
    }
  }

  static bool is_possible(kind which, const task& what) {
    switch (which) {
      case kind::cancel:
        return what.is != task::condition::unknown
               && what.is != task::condition::overdue;
      case kind::start:
        return what.is == task::condition::sent;
      case kind::come_back:
        return what.is == task::condition::sent && what.recalled;
      default:
        return what.is == task::condition::sent
               || what.is == task::condition::running
               || what.is == task::condition::overdue;
    }
  }

  void tell(kind which, task& what) {
    if (which == kind::start)
      world_.pool.started(what, world_.now);
    else if (which == kind::cancel)
      world_.pool.cancelled(what, libpool::errc::client_gone, world_.now);
    else if (which == kind::come_back)
      come_back(what);
    else
      finish(what, which == kind::crash ? ending::crashed : ending::completed);
  }

  void come_back(task& what) {
    require(in_mailbox_.erase(&what) == 1, "what comes back was sent");
    world_.pool.returned(what, world_.now);
    note_dry();
  }

  void finish(task& what, ending how) {
    require(in_mailbox_.erase(&what) == 1, "what ends was sent");
    world_.pool.finished(what, how, world_.now);
    note_dry();
  }

  void pass(unsigned byte) {
    constexpr std::array<int, 8> steps{0, 0, 1, 1, 2, 3, 7, 40};
    world_.now += milliseconds{steps[byte % steps.size()]};
    world_.pool.ticked(world_.now);
  }

  void join(std::size_t who) {
    auto& it = world_.workers[who];
    if (it.is == worker::condition::unknown)
      it.number = libpool::worker_number{joined_++};
    world_.pool.joined(it, world_.now);
    note_dry();
  }

  void tell_of_worker(kind which, std::size_t who) {
    auto& it = world_.workers[who];
    if (which == kind::join)
      return join(who);
    if (which == kind::retire)
      world_.pool.retired(it, world_.now);
    if (which == kind::pause)
      world_.pool.paused(it, world_.now);
    if (which == kind::resume)
      world_.pool.resumed(it, world_.now);
    if (which == kind::leave)
      leave(it);
  }

  void leave(worker& it) {
    world_.pool.left(it, world_.now);
    while (!it.mailbox.empty())
      if (auto& what = it.mailbox.front(); what.is == task::condition::sent)
        come_back(what);
      else
        finish(what, ending::crashed);
  }

  void dispatch() {
    world_.pool.ticked(world_.now);
    note_dry();
    auto before = books();
    auto steals = world_.pool.steals();
    stealing_.dispatches();
    world_.pool.dispatch(world_.now);
    read_decisions();
    require(before.accepted == books().accepted, "a dispatch accepts nothing");
    require(stealing_.moves() == stealing_.planned(),
            "what moves is what the plan says, in its order");
    require(world_.pool.steals() == steals + stealing_.moves().size(),
            "what moves is counted");
    require(plan(stealing_.snapshot(world_.now)).empty(),
            "nothing is left that should move");
    check();
    check_next_tick();
  }

  // -- laws -------------------------------------------------------------------

  const libpool::ledger& books() const {
    return world_.pool.books();
  }

  /// A worker is idle since the moment at which that is seen first.
  void note_dry() {
    for (const auto& who : world_.workers)
      if (!is_dry(who))
        idle_since_.erase(&who);
      else
        idle_since_.emplace(&who, world_.now);
    require(idle_since_ == stealing_.idle_since(),
            "it is told who is idle, and since when");
  }

  void read_decisions() {
    auto made = std::exchange(world_.pool.decisions(), {});
    for (const auto& each : made) {
      if (each.is == decision::kind::send)
        require(in_mailbox_.insert(each.task).second,
                "what is sent is in no mailbox");
      if (each.is == decision::kind::settle)
        ++settled_;
      if (each.is == decision::kind::release)
        require(in_mailbox_.count(each.task) == 0,
                "what is released is in no mailbox");
    }
  }

  void check() {
    note_dry();
    read_decisions();
    if (const auto* law = stealing_.complaint())
      throw broken{law};
    require(books().balances(), "the books balance");
    require(books().accepted == accepted_, "what is submitted is accepted");
    std::map<const task*, std::pair<int, int>> owners; // in deques, mailboxes
    for (const auto& who : world_.workers) {
      for (const auto& what : who.deque) {
        require(what.on == &who, "what is in a deque is of that worker");
        ++owners[&what].first;
      }
      for (const auto& what : who.mailbox) {
        require(what.on == &who, "what is in a mailbox is of that worker");
        ++owners[&what].second;
      }
      require(who.in_flight == who.deque.size() + who.mailbox.size(),
              "in flight is what is in the deque or in the mailbox");
    }
    for (const auto& what : world_.tasks)
      check_owner(what, owners[&what]);
  }

  void check_owner(const task& what, std::pair<int, int> owners) const {
    auto in_deque = what.is == task::condition::assigned;
    auto in_mailbox = what.is == task::condition::sent
                      || what.is == task::condition::running
                      || what.is == task::condition::overdue;
    require(owners == std::pair{in_deque ? 1 : 0, in_mailbox ? 1 : 0},
            "each task has one owner");
    require((in_mailbox_.count(&what) == 1) == in_mailbox,
            "what is sent and has not ended is in a mailbox");
    require((what.on != nullptr) == (in_deque || in_mailbox),
            "what waits, or is done, is of no worker");
    require(in_deque || in_mailbox || what.is == task::condition::waiting
              || !what.place_hook.is_linked(),
            "what is done is nowhere");
  }

  void check_next_tick() {
    auto expected = never;
    for (const auto& who : world_.workers)
      if (who.rest_hook.is_linked())
        expected = std::min(expected, who.rests_until);
    auto might_move = [](const task& what) {
      return what.is == task::condition::assigned && !what.key
             && (what.where == nullptr || what.where->loose
                 || what.where->only.size() > 1);
    };
    if (!idle_since_.empty()
        && std::any_of(world_.tasks.begin(), world_.tasks.end(), might_move)) {
      auto doubling = stealing_.next_doubling(world_.now);
      doublings_ += doubling < expected ? 1U : 0U;
      expected = std::min(expected, doubling);
    }
    require(world_.pool.next_tick() == expected,
            "the next tick is the end of a rest, or a doubling, if somebody is "
            "dry and something might move");
  }

  std::unique_ptr<watched_stealing> made_ =
    std::make_unique<watched_stealing>(options());
  watched_stealing& stealing_;
  dispatcher_world world_;
  stealing_surroundings surroundings_;
  std::uint64_t joined_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t settled_ = 0;
  std::size_t doublings_ = 0;
  std::map<const worker*, instant> idle_since_;
  std::set<const task*> in_mailbox_;
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
  } catch (const broken& law) {
    stealing_outcome result;
    result.broken = std::string{"broken: "} + law.what() + "\n" + r.log();
    return result;
  }
  return r.outcome();
}

} // namespace test
