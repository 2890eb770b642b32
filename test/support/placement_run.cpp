#include "support/placement_run.hpp"

#include "libpool/core/splitmix64.hpp"
#include "support/placement_world.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

using libpool::assignment;
using libpool::decision;
using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::task;
using libpool::worker;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace test {

namespace {

constexpr std::size_t most_workers = 7;
constexpr std::size_t steps = 1500;

/// Passes all on, and checks the answers.
class checked final : public libpool::placement {
public:
  checked(std::unique_ptr<placement> real, std::string& broken)
    : real_(std::move(real)), broken_(broken) {
    // nop
  }

  void joined(worker& who, instant now) noexcept override {
    require(members_.insert(&who).second, "a worker joins once");
    real_->joined(who, now);
    ask_if_empty(now);
  }

  void left(worker& who, instant now) noexcept override {
    require(offered_.count(&who) == 0,
            "a worker is withdrawn before it leaves");
    require(members_.erase(&who) == 1, "a worker leaves once");
    real_->left(who, now);
    ask_if_empty(now);
  }

  void offered(worker& who, instant now) noexcept override {
    require(members_.count(&who) == 1, "a worker joins before it is offered");
    require(offered_.insert(&who).second, "a worker is offered once");
    real_->offered(who, now);
  }

  void withdrawn(worker& who, instant now) noexcept override {
    require(offered_.erase(&who) == 1, "who is withdrawn was offered");
    real_->withdrawn(who, now);
    ask_if_empty(now);
  }

  void picked(worker& who, const task& what, instant now) noexcept override {
    require(chosen_ == &who, "a worker is picked that was chosen last");
    real_->picked(who, what, now);
  }

  void assigned(worker& who, task& what, instant now) noexcept override {
    require(on_.emplace(&what, &who).second, "a task is on one worker");
    real_->assigned(who, what, now);
  }

  void began(worker& who, task& what, instant now) noexcept override {
    require(on_.count(&what) == 1 && on_[&what] == &who,
            "what begins was assigned");
    real_->began(who, what, now);
  }

  void measured(worker& who, task& what, ending how, duration cost,
                instant now) noexcept override {
    require(cost >= 0ns, "no cost is negative");
    real_->measured(who, what, how, cost, now);
  }

  void unassigned(worker& who, task& what, instant now) noexcept override {
    require(on_.count(&what) == 1 && on_[&what] == &who,
            "what parts was assigned");
    on_.erase(&what);
    real_->unassigned(who, what, now);
  }

  std::optional<libpool::measure> measures() const noexcept override {
    return real_->measures();
  }

  worker* choose(const task& what, instant now) noexcept override {
    auto* chosen = real_->choose(what, now);
    if (chosen != nullptr)
      real_->choose_among({*offered_.begin()}, what, now);
    chosen_ = real_->choose(what, now);
    require(chosen == chosen_, "a question asked twice has the same answer");
    require(chosen == nullptr || offered_.count(chosen) == 1,
            "only workers that are offered are chosen");
    require(chosen != nullptr || what.key,
            "somebody is chosen where somebody is offered");
    return chosen;
  }

  worker* choose_among(const std::vector<worker*>& some, const task& what,
                       instant now) noexcept override {
    auto* chosen = real_->choose_among(some, what, now);
    real_->choose(what, now);
    chosen_ = real_->choose_among(some, what, now);
    require(chosen == chosen_,
            "a question asked twice has the same answer, also for some");
    require(chosen == nullptr
              || std::find(some.begin(), some.end(), chosen) != some.end(),
            "one of some is chosen for those that may run there only");
    require(chosen != nullptr || what.key,
            "somebody is chosen where somebody may run the task");
    return chosen;
  }

private:
  void require(bool holds, const char* law) {
    if (!holds && broken_.empty())
      broken_ = law;
  }

  void ask_if_empty(instant now) {
    task what;
    if (offered_.empty())
      require(real_->choose(what, now) == nullptr,
              "nobody is chosen where nobody is offered");
  }

  std::unique_ptr<placement> real_;
  std::string& broken_;
  std::set<worker*> members_;
  std::set<worker*> offered_;
  worker* chosen_ = nullptr;
  std::map<task*, worker*> on_;
};

class run {
public:
  run(const libpool::recipe& how, std::uint64_t seed)
    : weighs_(how.placement.entry().weighs && seed % 2 == 0),
      lazy_(libpool::assignment_of(how) == assignment::lazy),
      draws_(seed),
      world_(made(how), setting(how)) {
    world_.remembers = true;
    for (std::size_t i = 0; i < 8; ++i)
      restrict(i);
  }

  placement_outcome all() {
    for (std::size_t i = 0; i < steps && broken_.empty(); ++i) {
      step();
      check();
    }
    end();
    placement_outcome result;
    result.broken = broken_;
    for (const auto& made : world_.decided())
      if (made.is == decision::kind::send)
        result.sends.emplace_back(
          names_[made.task], static_cast<std::size_t>(made.worker->number));
    result.completed = world_.books().completed;
    return result;
  }

private:
  std::unique_ptr<libpool::placement> made(const libpool::recipe& how) {
    return std::make_unique<checked>(libpool::compose(how).placement, broken_);
  }

  static placement_setting setting(const libpool::recipe& how) {
    placement_setting result;
    result.when = libpool::assignment_of(how);
    result.within.retries = 2;
    result.order = libpool::compose(how).order;
    return result;
  }

  void require(bool holds, const char* law) {
    if (!holds && broken_.empty())
      broken_ = law;
  }

  std::size_t below(std::size_t size) {
    return draws_.below(size);
  }

  // -- what happens -----------------------------------------------------------

  void step() {
    auto from = world_.decided().size();
    auto roll = below(100);
    if (roll < 45)
      submit();
    else if (roll < 85)
      end_next();
    else if (roll < 89)
      join();
    else if (roll < 92)
      go();
    else if (roll < 95)
      cancel();
    else
      world_.pass(duration{below(40)});
    schedule();
    if (roll < 45)
      check_order_of_sends(from);
  }

  void restrict(std::size_t i) {
    placement_world::names only;
    for (std::size_t number = i; number < 40; number += 1 + below(4))
      only.push_back(number);
    world_.restrict_to(only, i % 3 == 0);
  }

  void submit() {
    auto& what = world_.add();
    names_[&what] = world_.last();
    open_.push_back(&what);
    if (below(4) == 0)
      what.where = &world_.restrictions[below(world_.restrictions.size())];
    if (below(8) == 0)
      what.home = worker_number{below(world_.workers.size() + 1)};
    if (below(3) == 0)
      what.key = below(6);
    if (below(10) == 0)
      what.deadline = world_.now + duration{below(60)};
    what.priority = static_cast<std::int64_t>(below(5));
    what.urgent = below(20) == 0;
    what.repeatable = below(3) != 0;
    what.cpu_time = duration{below(20)};
    world_.submit(what);
  }

  /// Goes on to the next end of a task.
  void end_next() {
    while (!ends_.empty()) {
      auto [at, what, started] = *ends_.begin();
      ends_.erase(ends_.begin());
      begun_.erase(what);
      auto& it = world_.tasks[what];
      if (it.on == nullptr || it.started != started)
        continue; // its worker has died
      world_.pass(std::max(at - world_.now, duration{0}));
      below(12) == 0 ? world_.crash(what) : world_.finish(what);
      return;
    }
  }

  void join() {
    if (world_.present().size() < most_workers)
      world_.join(1 + below(3), duration{weighs_ ? 1 + below(30) : 0},
                  1 + below(2));
  }

  void go() {
    auto present = world_.present();
    if (present.empty())
      return;
    auto who = present[below(present.size())];
    below(2) == 0 ? world_.leave(who) : world_.retire(who);
  }

  void cancel() {
    if (!open_.empty())
      world_.cancel(names_[open_[below(open_.size())]]);
  }

  /// What has begun is to end some time.
  void schedule() {
    for (auto& who : world_.workers)
      for (auto& what : who.mailbox)
        if (what.is == task::condition::running
            || what.is == task::condition::overdue)
          schedule(what);
  }

  void schedule(const task& what) {
    auto name = names_[&what];
    auto known = begun_.find(name);
    if (known != begun_.end()
        && known->second == std::pair{what.on, what.started})
      return;
    begun_[name] = {what.on, what.started};
    auto cost = below(8) == 0 ? below(200) : below(20);
    ends_.emplace(what.started + duration{cost}, name, what.started);
  }

  /// All that can be done is done, and no worker will come.
  void end() {
    world_.join(2, duration{weighs_ ? 7 : 0});
    schedule();
    while (!ends_.empty() && broken_.empty()) {
      end_next();
      schedule();
    }
    check();
    world_.pool().abandoned(libpool::errc::no_workers, world_.now);
    for (auto who : world_.present())
      world_.retire(who);
    world_.pass(0ns);
    check_end();
  }

  // -- what holds -------------------------------------------------------------

  void check() {
    require(world_.books().balances(), "the ledger balances");
    open_.erase(std::remove_if(open_.begin(), open_.end(),
                               [](const task* what) {
                                 return what->is == task::condition::unknown
                                        || what->is == task::condition::overdue;
                               }),
                open_.end());
    require(open_.size() == world_.books().open(),
            "the ledger counts what is open");
    for (const auto& who : world_.workers)
      if (can_take_more(who))
        for (const auto* what : open_)
          require(what->is != task::condition::waiting || what->key
                    || !may_run(*what, who),
                  lazy_ ? "lazy never leaves a worker idle while a task waits "
                          "that it may run"
                        : "eager binds what somebody may run");
  }

  bool can_take_more(const worker& who) const {
    return who.is == worker::condition::serving && who.hanging == 0
           && !who.rest_hook.is_linked()
           && (!lazy_ || who.in_mailbox < who.window);
  }

  static bool may_run(const task& what, const worker& who) {
    return what.where == nullptr || permits(*what.where, who.number);
  }

  /// Of those that may run anywhere, no one is sent before one that goes before
  /// it. Asked of steps in which nothing has come back.
  void check_order_of_sends(std::size_t from) {
    for (auto i = from; lazy_ && i < world_.decided().size(); ++i) {
      const auto& made = world_.decided()[i];
      if (made.is != decision::kind::send || made.task->where != nullptr)
        continue;
      for (const auto* what : open_)
        require(what->is != task::condition::waiting || what->where != nullptr
                  || !libpool::goes_before{}(*what, *made.task),
                "the order says which one goes next");
    }
  }

  void check_end() {
    require(world_.books().open() == 0 && world_.books().balances(),
            "everything is settled in the end");
    require(world_.books().accepted == world_.tasks.size(),
            "everything was accepted");
    std::map<const task*, int> settled;
    for (const auto& made : world_.decided())
      if (made.is == decision::kind::settle)
        ++settled[made.task];
    for (const auto& what : world_.tasks)
      require(settled[&what] == 1, "everything is settled exactly once");
    require(world_.dismissed() == world_.workers.size(),
            "every worker is dismissed");
  }

  std::string broken_;
  bool weighs_;
  bool lazy_;
  libpool::splitmix64 draws_;
  placement_world world_;
  std::map<const task*, std::size_t> names_;
  std::vector<task*> open_;
  std::map<std::size_t, std::pair<worker*, instant>> begun_;
  std::set<std::tuple<instant, std::size_t, instant>> ends_;
};

} // namespace

placement_outcome run_placement(const libpool::recipe& how,
                                std::uint64_t seed) {
  return run{how, seed}.all();
}

} // namespace test
