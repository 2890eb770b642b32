#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/restriction.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/placement/least_used.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Whether a stealing may move the task there: it keeps to wishes, too, and
/// leaves tasks of one key together.
inline bool may_move(const libpool::task& task, const libpool::worker& to) {
  return task.on != &to && !task.notes().key
         && (task.notes().where == nullptr
             || permits(*task.notes().where, to.number));
}

/// Lets a worker that has nothing take the oldest task that is bound to another
/// one and may move; the worker that has been idle for longest comes first.
class steals_oldest final : public libpool::stealing {
public:
  void idled(libpool::worker& worker, libpool::instant) noexcept override {
    idle_.push_back(&worker);
  }

  void engaged(libpool::worker& worker, libpool::instant) noexcept override {
    idle_.erase(std::find(idle_.begin(), idle_.end(), &worker));
  }

  void assigned(libpool::task& task, libpool::instant) noexcept override {
    bound_[task.number] = &task;
  }

  void unassigned(libpool::task& task, libpool::instant) noexcept override {
    bound_.erase(task.number);
  }

  std::optional<libpool::takeover> choose(libpool::instant) noexcept override {
    for (auto* thief : idle_)
      for (auto [number, moved] : bound_)
        if (may_move(*moved, *thief))
          return libpool::takeover{moved, thief};
    return std::nullopt;
  }

private:
  std::map<std::uint64_t, libpool::task*> bound_;
  std::vector<libpool::worker*> idle_;
};

/// The index of the element, which was added lately; the number of all elements
/// if it is none of them.
template <class T>
std::size_t index_in(const std::deque<T>& all, const T* element) {
  for (auto i = all.size(); i-- > 0;)
    if (&all[i] == element)
      return i;
  return all.size();
}

/// fifo and least_used, bound as it is said.
inline libpool::composition composed(libpool::assignment when, bool steals) {
  libpool::composition result;
  result.order = std::make_unique<libpool::fifo>();
  result.placement = std::make_unique<libpool::least_used>();
  if (steals)
    result.stealing = std::make_unique<steals_oldest>();
  result.assignment = when;
  return result;
}

/// A dispatcher with its tasks and workers, which are named by the order in
/// which they came, from 0. Each fact is followed by a dispatch, unless that is
/// switched off, and returns the decisions as text: "send 0 to 1".
struct dispatcher_world {
  using names = std::vector<std::size_t>;

  explicit dispatcher_world(
    const libpool::limits& within = {},
    libpool::assignment when = libpool::assignment::lazy, bool steals = false)
    : dispatcher_world(composed(when, steals), within) {
    // nop
  }

  explicit dispatcher_world(libpool::composition how,
                            const libpool::limits& within = {})
    : policies{how.order.get(), how.placement.get(), how.stealing.get()},
      pool(std::move(how), within) {
    // nop
  }

  dispatcher_world(const dispatcher_world&) = delete;
  dispatcher_world& operator=(const dispatcher_world&) = delete;
  virtual ~dispatcher_world() = default;

  /// Reports facts in words, such as "join 2, submit, start 0, at 5", and
  /// returns the decisions that follow. A number that is left out is 1. The
  /// number of "submit" is a number of tasks, that of "join" a window, that of
  /// "seat" a number of seats, and that of "at" and "due" a time; all other
  /// numbers name a task or a worker.
  std::string does(const std::string& steps) {
    using fact = std::string (*)(dispatcher_world&, std::size_t);
    static const std::map<std::string, fact> facts{
      {"join", [](auto& w, auto n) { return w.join(n); }},
      {"seat", [](auto& w, auto n) { return w.seat(n); }},
      {"retire", [](auto& w, auto n) { return w.retire(n); }},
      {"leave", [](auto& w, auto n) { return w.leave(n); }},
      {"pause", [](auto& w, auto n) { return w.pause(n); }},
      {"resume", [](auto& w, auto n) { return w.resume(n); }},
      {"submit", [](auto& w, auto n) { return w.submit_all(n); }},
      {"urgent", [](auto& w, auto) { return w.submit_urgent(); }},
      {"due",
       [](auto& w, auto n) { return w.submit_due(static_cast<int>(n)); }},
      {"start", [](auto& w, auto n) { return w.start(n); }},
      {"finish", [](auto& w, auto n) { return w.finish(n); }},
      {"crash", [](auto& w, auto n) { return w.crash(n); }},
      {"return", [](auto& w, auto n) { return w.come_back(n); }},
      {"cancel", [](auto& w, auto n) { return w.cancel(n); }},
      {"at", [](auto& w, auto n) { return w.at(static_cast<int>(n)); }}};
    std::string result;
    std::istringstream all{steps};
    for (std::string step; std::getline(all, step, ',');) {
      std::istringstream words{step};
      std::string verb;
      std::size_t number = 0;
      words >> verb;
      auto is_numbered = static_cast<bool>(words >> number);
      auto made = facts.at(verb)(*this, is_numbered ? number : 1);
      result += (result.empty() || made.empty() ? "" : "; ") + made;
    }
    return result;
  }

  // -- facts about workers ----------------------------------------------------

  std::string join(std::size_t window = 1) {
    hire().window = window;
    return join(workers.back());
  }

  /// A worker with so many seats joins.
  std::string seat(std::size_t seats = 1) {
    hire().seats = seats;
    return join(workers.back());
  }

  std::string join(libpool::worker& worker) {
    pool.joined(worker, now);
    return decided();
  }

  /// A worker that is yet to join.
  libpool::worker& hire() {
    auto& result = workers.emplace_back();
    result.number = libpool::worker_number{workers.size() - 1};
    result.takes_leases = true;
    return result;
  }

  std::string retire(std::size_t worker) {
    pool.retired(workers[worker], now);
    return decided();
  }

  std::string leave(std::size_t worker) {
    pool.left(workers[worker], now);
    return decided();
  }

  std::string pause(std::size_t worker) {
    pool.paused(workers[worker], now);
    return decided();
  }

  std::string resume(std::size_t worker) {
    pool.resumed(workers[worker], now);
    return decided();
  }

  // -- facts about tasks ------------------------------------------------------

  std::string submit() {
    return submit(add());
  }

  std::string submit_all(std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) {
      auto made = submit();
      result += (result.empty() || made.empty() ? "" : "; ") + made;
    }
    return result;
  }

  std::string submit(libpool::task& task) {
    pool.submitted(task, now);
    return decided();
  }

  /// A task that is yet to be submitted.
  libpool::task& add() {
    return tasks.emplace_back();
  }

  std::string submit_urgent() {
    add().urgent = true;
    return submit(tasks.back());
  }

  std::string submit_due(int at_ms) {
    add().deadline = moment(at_ms);
    return submit(tasks.back());
  }

  std::string submit_to(libpool::restriction& where) {
    add().own_notes().where = &where;
    return submit(tasks.back());
  }

  std::string submit_home(std::size_t home,
                          libpool::restriction* where = nullptr) {
    add().own_notes().home = libpool::worker_number{home};
    tasks.back().own_notes().where = where;
    return submit(tasks.back());
  }

  std::string submit_wide(std::size_t width,
                          libpool::restriction* where = nullptr) {
    add().own_notes().width = width;
    tasks.back().own_notes().where = where;
    return submit(tasks.back());
  }

  std::string submit_of(const libpool::flow_key& flow,
                        libpool::restriction* where = nullptr) {
    add().flow = libpool::flow_ref{flow};
    tasks.back().own_notes().where = where;
    return submit(tasks.back());
  }

  std::string start(std::size_t task) {
    pool.started(tasks[task], now);
    return decided();
  }

  std::string finish(std::size_t task) {
    pool.finished(tasks[task], libpool::ending::completed, now);
    return decided();
  }

  std::string crash(std::size_t task) {
    pool.finished(tasks[task], libpool::ending::crashed, now);
    return decided();
  }

  std::string interrupt(std::size_t task) {
    pool.finished(tasks[task], libpool::ending::interrupted, now);
    return decided();
  }

  std::string come_back(std::size_t task) {
    pool.returned(tasks[task], now);
    return decided();
  }

  std::string cancel(std::size_t task) {
    pool.cancelled(tasks[task], libpool::errc::client_gone, now);
    return decided();
  }

  // -- where tasks may run ----------------------------------------------------

  libpool::restriction& only_on(const names& some) {
    auto& result = restrictions.emplace_back();
    for (auto worker : some)
      result.only.push_back(libpool::worker_number{worker});
    return result;
  }

  libpool::restriction& best_on(const names& some) {
    auto& result = only_on(some);
    result.loose = true;
    return result;
  }

  // -- facts about the world --------------------------------------------------

  static libpool::instant moment(int ms) {
    return libpool::instant{} + std::chrono::milliseconds{ms};
  }

  /// Time has passed until then, and the dispatcher is told.
  std::string at(int ms) {
    now = moment(ms);
    pool.ticked(now);
    return decided();
  }

  std::string close() {
    pool.closed(libpool::errc::pool_closed);
    return decided();
  }

  std::string abandon() {
    pool.abandoned(libpool::errc::no_workers, now);
    return decided();
  }

  std::string desert() {
    pool.deserted(libpool::errc::no_workers, now);
    return decided();
  }

  std::string dispatch() {
    pool.dispatch(now);
    return text_of_decisions();
  }

  // -- decisions --------------------------------------------------------------

  virtual std::string decided() {
    return dispatches ? dispatch() : text_of_decisions();
  }

  std::string text_of_decisions() {
    std::string result;
    auto& all = pool.decisions();
    for (const auto& each : all)
      result += (result.empty() ? "" : "; ") + text_of(each);
    all.clear();
    return result;
  }

  std::string text_of(const libpool::decision& made) const {
    switch (made.is) {
      case libpool::decision::kind::send:
        return "send " + names_with_followers(*made.task) + " to "
               + name_of(made.worker);
      case libpool::decision::kind::recall:
        return "recall " + name_of(made.task) + " from " + name_of(made.worker);
      case libpool::decision::kind::look:
        return "look at " + name_of(made.task);
      case libpool::decision::kind::end:
        return "end " + name_of(made.task) + ": " + fate_of(made);
      case libpool::decision::kind::settle:
        return "settle " + name_of(made.task) + ": " + fate_of(made);
      case libpool::decision::kind::give_up:
        return "give up " + name_of(made.task);
      case libpool::decision::kind::release:
        return "release " + name_of(made.task);
      case libpool::decision::kind::dismiss:
        return "dismiss " + name_of(made.worker);
    }
    return "nonsense";
  }

  /// The task, which is sent, and those that follow it.
  std::string names_with_followers(const libpool::task& sent) const {
    auto result = name_of(&sent);
    if (sent.on == nullptr)
      return result; // has come back
    const auto& all = sent.on->mailbox;
    for (auto i = std::next(all.iterator_to(sent)); i != all.end(); ++i)
      result += i->follows ? "+" + name_of(&*i) : "";
    return result;
  }

  static std::string fate_of(const libpool::decision& made) {
    auto why = std::string{to_string(made.why)};
    switch (made.how) {
      case libpool::outcome::completed:
        return "completed";
      case libpool::outcome::refused:
        return "refused, " + why;
      case libpool::outcome::failed:
        return "failed, " + why;
      case libpool::outcome::cancelled:
        return "cancelled, " + why;
    }
    return "nonsense";
  }

  std::string name_of(const libpool::task* task) const {
    return position(tasks, task);
  }

  std::string name_of(const libpool::worker* worker) const {
    return position(workers, worker);
  }

  template <class T>
  static std::string position(const std::deque<T>& all, const T* element) {
    auto index = index_in(all, element);
    return index == all.size() ? "nobody" : std::to_string(index);
  }

  /// The policies of the dispatcher, which it owns.
  struct {
    libpool::order* order;
    libpool::placement* placement;
    libpool::stealing* stealing;
  } policies;

  // Goes from below: tasks stay linked into workers and restrictions, and all
  // of them into the pool.
  std::deque<libpool::task> tasks;
  std::deque<libpool::worker> workers;
  std::deque<libpool::restriction> restrictions;
  libpool::dispatcher pool;
  libpool::instant now{};
  bool dispatches = true;
};

/// A world whose tasks are bound when they are accepted.
struct eager_world : dispatcher_world {
  explicit eager_world(const libpool::limits& within = {}, bool steals = false)
    : dispatcher_world(within, libpool::assignment::eager, steals) {
    // nop
  }
};

} // namespace test
