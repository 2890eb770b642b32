/// Laws of tasks that share runs, for random pools and random facts.

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/joint_run.hpp"
#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/priority.hpp"
#include "support/dispatcher_world.hpp"
#include "support/fair_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace joint_laws_tests {

using libpool::decision;
using libpool::ending;
using libpool::errc;
using libpool::instant;
using libpool::joint_rule;
using libpool::outcome;
using libpool::task;
using std::chrono::milliseconds;

namespace {

void require(bool holds, const char* law) {
  if (!holds)
    throw std::logic_error{law};
}

/// What the owner knows of a task.
struct life {
  bool is_open = false;
  bool is_settled = false;
  bool is_released = false;
  bool is_unwanted = false;
  bool was_given_up = false;
  outcome how = outcome::completed;
  errc why{};
  instant came = libpool::never;
  /// How often it has crashed its worker alone.
  unsigned crashes_alone = 0;
  /// Number of the tasks that ran when it last crashed with others.
  std::size_t crashed_with = static_cast<std::size_t>(-1);
};

struct setting {
  joint_rule rule;
  libpool::limits within;
  bool is_eager = false;
  bool steals = false;
  unsigned order = 0;
};

setting drawn_setting(std::mt19937_64& draw) {
  setting result;
  auto& rule = result.rule;
  rule.is_batch = draw() % 2 == 0;
  rule.joins_running = !rule.is_batch && draw() % 2 == 0;
  rule.in_turn = !rule.is_batch && !rule.joins_running && draw() % 2 == 0;
  rule.most = rule.is_batch ? 1 + draw() % 6 : 2 + draw() % 40;
  if (rule.is_batch && draw() % 2 == 0)
    rule.wait = milliseconds{1 + draw() % 8};
  if (rule.is_batch && draw() % 3 == 0)
    rule.bytes = 4 + draw() % 12;
  auto& within = result.within;
  within.joint = rule;
  within.retries = static_cast<unsigned>(draw() % 3);
  within.seed = draw();
  if (draw() % 3 == 0)
    within.time_limit = milliseconds{6};
  if (draw() % 4 == 0)
    within.capacity = 5;
  if (draw() % 2 == 0)
    within.on_overflow = libpool::overflow::drop_oldest;
  if (draw() % 4 == 0)
    within.backoff = libpool::retry_backoff{};
  if (draw() % 4 == 0)
    within.throttles.of_each_flow.most_running = 1;
  within.by_flow = true;
  result.is_eager = draw() % 3 == 0;
  result.steals = result.is_eager && draw() % 2 == 0;
  result.order = static_cast<unsigned>(draw() % 3);
  return result;
}

libpool::composition policies_of(const setting& drawn) {
  auto result = test::composed(drawn.is_eager ? libpool::assignment::eager
                                              : libpool::assignment::lazy,
                               drawn.steals);
  if (drawn.order == 1)
    result.order = std::make_unique<libpool::priority>();
  if (drawn.order == 2 && !drawn.is_eager)
    result.order = test::fair_order({});
  return result;
}

/// A pool that random facts are told, and which is checked after each of them.
class world : test::dispatcher_world {
public:
  world(const setting& drawn, std::uint64_t seed)
    : dispatcher_world(policies_of(drawn), drawn.within),
      drawn_(drawn),
      rule_(drawn.rule),
      draw_(seed) {
    for (auto i = 0; i < 3; ++i) {
      hire().window = 1 + pick(2);
      pool.joined(workers.back(), now);
    }
  }

  void live(int facts) {
    for (auto i = 0; i < facts; ++i) {
      now += milliseconds{pick(3)};
      one_fact();
      settle_all();
      check();
    }
    end();
  }

private:
  std::size_t pick(std::size_t n) {
    return draw_() % n;
  }

  // -- facts ------------------------------------------------------------------

  void one_fact() {
    switch (pick(16)) {
      case 0:
        return cancel();
      case 1:
        return finish(ending::crashed);
      case 2:
        return come_back();
      case 3:
      case 4:
        return begin();
      case 5:
      case 6:
      case 7:
        return finish(ending::completed);
      case 8:
        return pool.ticked(now);
      case 9:
        return finish(ending::interrupted);
      case 10:
        return replace();
      default:
        return come();
    }
  }

  void come() {
    auto& task = add();
    auto& notes = task.own_notes();
    task.is_alone = true;
    if (pick(8) > 0)
      notes.run_key = std::string(1, static_cast<char>('a' + pick(3)));
    notes.bytes = pick(6);
    notes.priority = static_cast<std::int64_t>(pick(3) / 2);
    task.flow = libpool::flow_ref{pick(8) / 7};
    task.repeatable = pick(6) > 0;
    if (pick(4) == 0)
      task.deadline = now + milliseconds{pick(30)};
    lives_.emplace_back();
    lives_.back().came = now;
    lives_.back().is_open = true;
    pool.submitted(task, now);
  }

  /// A task that a worker has, which leads a run.
  task* any_sent(bool runs) {
    std::vector<task*> all;
    for (auto& each : workers)
      for (auto& sent : each.mailbox)
        if (!runs || sent.is != task::condition::sent)
          all.push_back(&sent);
    return all.empty() ? nullptr : all[pick(all.size())];
  }

  void begin() {
    if (auto* next = any_sent(false); next != nullptr && !begun(*next))
      pool.started(*next, now);
  }

  static bool begun(const task& sent) {
    return sent.is != task::condition::sent;
  }

  void finish(ending manner) {
    auto* next = any_sent(false);
    if (next == nullptr)
      return;
    pool.started(*next, now);
    settle_all(false);
    if (manner == ending::crashed)
      note_crash(*next);
    pool.finished(*next, manner, now);
  }

  /// The tasks of a batch that crashes with others are not blamed.
  void note_crash(const task& leader) {
    auto members = members_of(leader);
    for (auto* each : members) {
      auto& life = life_of(*each);
      if (members.size() == 1 || !rule_.is_batch) {
        ++life.crashes_alone;
        continue;
      }
      require(members.size() <= (life.crashed_with + 1) / 2
                || life.crashed_with == static_cast<std::size_t>(-1),
              "a batch that runs again has at most half of its tasks");
      life.crashed_with = members.size();
    }
  }

  std::vector<const task*> members_of(const task& leader) const {
    std::vector<const task*> result{&leader};
    if (has_joiners(leader))
      for (const auto& each : libpool::run_of(leader)->joiners)
        result.push_back(&each);
    return result;
  }

  void come_back() {
    if (auto* next = any_sent(false); next != nullptr && !begun(*next)) {
      next->recalled = true; // its worker is well
      pool.returned(*next, now);
    }
  }

  void cancel() {
    if (tasks.empty())
      return;
    auto i = pick(tasks.size());
    if (lives_[i].is_settled)
      return;
    lives_[i].is_unwanted = true;
    pool.cancelled(tasks[i], errc::client_gone, now);
  }

  /// A worker goes, its tasks come back, and another one comes.
  void replace() {
    auto& gone = workers[pick(workers.size())];
    if (gone.is != libpool::worker::condition::serving)
      return;
    std::vector<task*> had;
    for (auto& each : gone.mailbox)
      had.push_back(&each);
    pool.left(gone, now);
    for (auto* each : had)
      begun(*each) ? pool.finished(*each, ending::interrupted, now)
                   : pool.returned(*each, now);
    hire().window = 1 + pick(2);
    pool.joined(workers.back(), now);
  }

  // -- decisions --------------------------------------------------------------

  void settle_all(bool dispatches_too = true) {
    for (auto more = true; more;) {
      if (dispatches_too)
        pool.dispatch(now);
      auto& all = pool.decisions();
      for (std::size_t i = 0; i < all.size(); ++i)
        carry_out(decision{all[i]});
      more = !all.empty();
      all.clear();
      if (!dispatches_too)
        return;
    }
  }

  life& life_of(const task& about) {
    return lives_[test::index_in(tasks, &about)];
  }

  void carry_out(const decision& made) {
    if (made.task == nullptr)
      return;
    auto& life = life_of(*made.task);
    require(!life.is_released, "decisions are about tasks that are open");
    require(!is_joiner(*made.task) || made.is == decision::kind::end,
            "workers are not asked about joiners");
    switch (made.is) {
      case decision::kind::send:
        return sent(*made.task);
      case decision::kind::settle:
        return settled(*made.task, made);
      case decision::kind::end:
        settled(*made.task, made);
        life.is_released = true;
        return;
      case decision::kind::release:
        require(life.is_settled, "a task that is released is settled");
        life.is_released = true;
        return;
      case decision::kind::give_up:
        return given_up(*made.task);
      case decision::kind::look:
        return pool.looked_at(
          *made.task, begun(*made.task) ? made.task->started : libpool::never,
          now);
      default:
        return;
    }
  }

  void sent(const task& leader) {
    require(!is_joiner(leader), "only leaders are sent");
    auto members = members_of(leader);
    std::size_t bytes = 0;
    for (const auto* each : members) {
      require(!life_of(*each).is_settled, "no settled task is sent");
      bytes += each->notes().bytes;
    }
    require(members.size() <= rule_.most, "no run has too many tasks");
    require(bytes <= rule_.bytes || members.size() == 1,
            "no run has too many bytes");
    for (const auto* each : members)
      require(each->notes().run_key == leader.notes().run_key,
              "the tasks of a run have one key");
    if (!rule_.is_batch || !leader.notes().run_key || is_retried(leader))
      return;
    for (const auto* each : members)
      require(each->flow.key().hash() == leader.flow.key().hash()
                && each->notes().priority == leader.notes().priority,
              "the tasks of a batch have one flow and priority");
  }

  bool is_retried(const task& leader) {
    return life_of(leader).crashed_with != static_cast<std::size_t>(-1);
  }

  void settled(const task& about, const decision& made) {
    auto& life = life_of(about);
    require(!life.is_settled, "no task is settled twice");
    life.is_settled = true;
    life.how = made.how;
    life.why = made.why;
    if (made.how == outcome::cancelled && made.why == errc::client_gone)
      require(life.is_unwanted, "only its own client cancels a task");
    if (made.how == outcome::failed)
      require(made.why != errc::retries_exhausted
                || life.crashes_alone > drawn_.within.retries
                || (drawn_.within.backoff && life.crashes_alone > 0)
                || (!rule_.is_batch && about.notes().run_key),
              "no task is blamed for crashes of others in its batch");
    if (made.how != outcome::completed)
      return;
    require(about.started != libpool::never && about.started >= life.came,
            "a task that completes has run since it came");
    const auto* with = about.notes().ran_with;
    if (with == nullptr)
      return;
    require(!life_of(*with).is_released, "a joiner ends before its leader");
    require(rule_.joins_running || with->started >= life.came,
            "a task joins no run that has begun, unless the rule permits it");
  }

  void given_up(const task& about) {
    auto& life = life_of(about);
    require(life.is_settled && !std::exchange(life.was_given_up, true),
            "a handler is given up once, after its client was told");
    require(about.is == task::condition::overdue && !has_joiners(about),
            "a handler is given up when nobody waits for it");
  }

  // -- laws -------------------------------------------------------------------

  void check() {
    std::map<std::string, std::size_t> open_waiting;
    std::uint64_t running = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto& each = tasks[i];
      if (lives_[i].is_settled)
        continue;
      require(each.is != task::condition::unknown, "no task is forgotten");
      running += each.is == task::condition::running ? 1U : 0U;
      if (is_joiner(each))
        check_joiner(each);
      require(
        each.deadline > now
          || (each.is == task::condition::sent && each.cancel_reason != errc{}),
        "no task is open after its deadline, unless it comes back");
      const auto* run = libpool::run_of(each);
      if (run != nullptr && run->is_open && run->leader == &each)
        require(++open_waiting[key_of(each)] == 1, "each key has one open run");
    }
    std::map<std::string, std::size_t> at_workers;
    for (auto& each : workers)
      for (const auto& sent : each.mailbox) {
        require(sent.is != task::condition::overdue || has_joiners(sent)
                  || life_of(sent).was_given_up,
                "a handler that no client waits for is given up");
        if (rule_.in_turn && libpool::run_of(sent) != nullptr)
          require(++at_workers[key_of(sent)] == 1,
                  "runs of a key go to workers one after the other");
      }
    require(pool.books().running == running, "the books say how many run");
    require(pool.books().balances(), "the books balance");
  }

  std::string key_of(const task& about) const {
    const auto& key = libpool::run_of(about)->key;
    return key.name + " " + std::to_string(key.flow) + " "
           + std::to_string(key.priority);
  }

  void check_joiner(const task& joiner) {
    const auto& leader = *libpool::run_of(joiner)->leader;
    using condition = task::condition;
    auto waits = leader.is == condition::waiting
                 || leader.is == condition::assigned;
    auto expected = waits                          ? condition::waiting
                    : leader.is == condition::sent ? condition::sent
                                                   : condition::running;
    require(joiner.is == expected, "a joiner is in the state of its leader");
    require(joiner.on == nullptr && !joiner.held && !joiner.parked,
            "a joiner is in no queue and no mailbox");
  }

  /// All that runs ends, and nothing is left.
  void end() {
    pool.closed(errc::pool_closed);
    for (auto rounds = 0;
         rounds == 0 || (rounds < 4000 && pool.books().open() > 0); ++rounds) {
      now += milliseconds{20};
      settle_all();
      for (auto& each : workers)
        while (!each.mailbox.empty()) {
          pool.started(each.mailbox.front(), now);
          settle_all(false);
          pool.finished(each.mailbox.front(), ending::completed, now);
          settle_all(false);
        }
    }
    check();
    require(pool.books().open() == 0, "in the end no task is open");
    require(pool.runs().held() == 0 && pool.retries().delayed() == 0,
            "in the end no task waits for others");
    for (std::size_t i = 0; i < tasks.size(); ++i)
      require(lives_[i].is_released && libpool::run_of(tasks[i]) == nullptr,
              "in the end every task is released, and in no run");
  }

  const setting drawn_;
  const joint_rule rule_;
  std::mt19937_64 draw_;
  std::vector<life> lives_;
};

/// The law that the pool of this seed breaks; empty if there is none.
std::string broken_law(std::uint64_t seed) {
  std::mt19937_64 draw{seed};
  auto how = drawn_setting(draw);
  try {
    world{how, draw()}.live(400);
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return {};
}

} // namespace

TEST_CASE("tasks that share runs keep all laws, whatever happens to them") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    REQUIRE(broken_law(seed) == "");
  }
}

} // namespace joint_laws_tests
