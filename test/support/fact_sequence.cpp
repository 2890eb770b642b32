#include "support/fact_sequence.hpp"

#include "support/dispatcher_witness.hpp"
#include "support/dispatcher_world.hpp"
#include "support/fact_decoding.hpp"
#include "support/watched_order.hpp"

#include <algorithm>
#include <array>
#include <chrono>

using libpool::ending;
using libpool::errc;

namespace test {

namespace {

constexpr std::size_t tasks = 16;
constexpr std::size_t workers = most_workers;
constexpr std::size_t most_facts = 400;
/// So many workers have a number that restrictions know.
constexpr std::uint64_t numbered = 32;

/// The restrictions that tasks may have; some overlap, the last one is for
/// workers that have not joined yet.
void add_restrictions(dispatcher_world& to) {
  struct named {
    bool loose;
    std::array<bool, 4> every_fourth;
    std::uint64_t first;
  };
  constexpr std::array<named, 6> all{{{false, {true, true, false, false}, 0},
                                      {false, {false, true, true, false}, 0},
                                      {false, {false, false, false, true}, 0},
                                      {true, {true, false, false, false}, 0},
                                      {true, {false, false, true, true}, 0},
                                      {false, {true, false, true, false}, 4}}};
  for (const auto& each : all) {
    auto& where = to.restrictions.emplace_back();
    where.loose = each.loose;
    for (auto number = each.first; number < numbered; ++number)
      if (each.every_fourth[number % each.every_fourth.size()])
        where.only.push_back(libpool::worker_number{number});
  }
}

/// A world that is told facts, with a witness.
class run {
public:
  run(const settings& how, bool logs)
    : how_(how),
      world_(policies_of(how, order_, placement_), how.within),
      witness_(prepared(world_, how), *order_, *placement_, how),
      logs_(logs) {
    // nop
  }

  void begin() {
    for (std::size_t i = 0; i < how_.joined; ++i)
      join(i);
  }

  void tell(const fact& f) {
    world_.now += std::chrono::milliseconds{f.ms_later};
    tell_one(f);
    if (f.dispatches)
      witness_.dispatched();
  }

  void end(unsigned how) {
    if (logs_)
      log_ += "the end, way " + std::to_string(how) + "\n";
    if (how == 0)
      finish_all();
    if (how == 1)
      abandon();
    for (std::size_t i = 0; i < workers; ++i)
      how == 3 ? witness_.retired(i) : witness_.left(i);
    end_what_is_sent(how == 1 ? ending::crashed : ending::completed);
    abandon();
    for (std::size_t i = 0; i < workers; ++i)
      witness_.left(i);
    witness_.check_the_end();
  }

  const std::string& log() const {
    return log_;
  }

  fact_outcome outcome() const {
    return {{}, witness_.sends(), world_.pool.books().completed};
  }

private:
  static dispatcher_world& prepared(dispatcher_world& w, const settings& how) {
    w.tasks.resize(tasks);
    w.workers.resize(workers);
    for (std::size_t i = 0; i < workers; ++i) {
      w.workers[i].window = how.windows[i];
      w.workers[i].seats = how.seats[i];
      if (how.weighs)
        w.workers[i].weight = std::chrono::milliseconds{i + 1};
    }
    add_restrictions(w);
    return w;
  }

  void tell_one(const fact& f) {
    auto what = one_for(f);
    if (logs_)
      note(f, what);
    switch (f.is) {
      case kind::submit:
        return submit(f, what);
      case kind::start:
        return witness_.started(what);
      case kind::finish:
        return witness_.finished(what, ending::completed);
      case kind::crash:
        return witness_.finished(what, ending::crashed);
      case kind::come_back:
        return witness_.returned(what);
      case kind::cancel:
        return witness_.cancelled(what, errc::client_gone);
      case kind::refuse:
        return witness_.refused(what, errc::cycle);
      case kind::tick:
        return witness_.ticked();
      case kind::join:
        return join(what);
      case kind::retire:
        return witness_.retired(what);
      case kind::leave:
        return witness_.left(what);
      case kind::pause:
        return witness_.paused(what);
      case kind::resume:
        return witness_.resumed(what);
      case kind::close:
        return witness_.closed(errc::pool_closed);
      case kind::desert:
        return witness_.deserted(errc::no_workers);
      case kind::abandon:
        return abandon();
    }
  }

  void submit(const fact& f, std::size_t task) {
    auto& it = world_.tasks[task];
    if (!witness_.of_task(task).known) {
      it.urgent = f.urgent;
      it.repeatable = f.repeatable;
      it.deadline = f.due_in == 0
                      ? libpool::never
                      : world_.now + std::chrono::milliseconds{f.due_in - 1};
      place(it, f);
    }
    witness_.submitted(task);
  }

  void place(libpool::task& it, const fact& f) {
    it.priority = f.level;
    it.key.reset();
    it.home.reset();
    it.where = nullptr;
    it.flow = f.flow;
    it.width = how_.is_narrow ? 1 : f.width;
    it.kind = f.flow;
    it.cpu_time = std::chrono::milliseconds{f.cost_ms};
    it.move = std::chrono::milliseconds{f.move_ms};
    it.estimate.reset();
    if (f.cost_ms > 0)
      it.estimate = std::chrono::milliseconds{f.cost_ms - 1};
    if (how_.holds_keys && f.level > 0)
      it.key = f.level;
    if (how_.keeps_keys)
      it.urgent = false;
    if (f.where > 0)
      it.where = &world_.restrictions[f.where - 1];
    if (f.home > 0)
      it.home = world_.workers[f.home - 1].number;
  }

  void join(std::size_t task) {
    if (!witness_.of_worker(task).known)
      world_.workers[task].number = libpool::worker_number{joined_++};
    witness_.joined(task);
  }

  void abandon() {
    witness_.abandoned(errc::no_workers);
  }

  // -- whom a fact is about ---------------------------------------------------

  std::size_t one_for(const fact& f) const {
    auto size = is_about_workers(f.is) ? workers : tasks;
    auto first = f.pick % size;
    for (std::size_t i = 0; i < size; ++i)
      if (f.wild || is_possible(f.is, (first + i) % size))
        return (first + i) % size;
    return first;
  }

  static bool is_about_workers(kind which) {
    return which == kind::join || which == kind::retire || which == kind::leave
           || which == kind::pause || which == kind::resume;
  }

  bool is_possible(kind which, std::size_t one) const {
    if (is_about_workers(which))
      return is_possible_for(which, witness_.of_worker(one));
    const auto& life = witness_.of_task(one);
    if (which == kind::submit || which == kind::refuse)
      return !life.known;
    if (which == kind::start || which == kind::come_back)
      return life.on && !life.begun;
    if (which == kind::cancel)
      return life.known && !life.settled;
    return life.on && (life.begun || life.recalled);
  }

  static bool is_possible_for(kind which, const worker_life& life) {
    if (which == kind::join)
      return !life.known;
    if (which == kind::retire)
      return life.known && !life.out;
    if (which == kind::pause)
      return life.known && !life.pauses;
    if (which == kind::resume)
      return life.pauses;
    return life.known && !life.dead;
  }

  // -- the end ----------------------------------------------------------------

  void finish_all() {
    world_.now += std::chrono::hours{1};
    witness_.ticked();
    for (std::size_t i = 0; i < workers; ++i)
      witness_.resumed(i);
    // Each round ends what each worker was sent, or all of what one hangs on.
    for (std::size_t i = 0; i < 3 * tasks; ++i) {
      witness_.dispatched();
      end_what_is_sent(ending::completed);
    }
    for (std::size_t i = 0; i < tasks; ++i)
      for (std::size_t j = 0; j < workers; ++j)
        if (world_.workers[j].is == libpool::worker::condition::serving
            && witness_.may_run(i, j))
          require(!witness_.of_task(i).known,
                  "as long as a worker serves, what it may run is done");
  }

  /// What is recalled comes back, or starts all the same; all others end.
  void end_what_is_sent(ending how) {
    for (std::size_t i = 0; i < tasks; ++i) {
      const auto& life = witness_.of_task(i);
      if (life.on && life.recalled && !life.begun && i % 2 == 0)
        witness_.returned(i);
      else
        witness_.finished(i, how);
    }
  }

  void note(const fact& f, std::size_t task) {
    log_ += std::to_string((world_.now - libpool::instant{}).count() / 1000000)
            + " ms: " + text_of(f) + ", " + std::to_string(task);
    log_ += f.dispatches ? "\n" : " (no dispatch)\n";
  }

  settings how_;
  watched_order* order_ = nullptr;
  watched_placement* placement_ = nullptr;
  dispatcher_world world_;
  dispatcher_witness witness_;
  std::uint64_t joined_ = 0;
  /// Texts take more time than all else, so there are some on demand only.
  bool logs_;
  std::string log_;
};

/// The law that so many facts break, if any, and what led there.
fact_outcome told(const settings& how, const std::uint8_t* facts,
                  std::size_t count, bool logs) {
  run r{how, logs};
  try {
    r.begin();
    for (std::size_t i = 0; i < count; ++i)
      r.tell(decoded_fact(facts + i * fact_bytes));
    r.end(how.end);
  } catch (const broken_law& law) {
    return {std::string{"broken: "} + law.what() + "\n" + text_of(how)
              + r.log(),
            {},
            0};
  }
  return r.outcome();
}

/// Told once more with a log if a law is broken.
fact_outcome told(const settings& how, const std::uint8_t* facts,
                  std::size_t count) {
  auto result = told(how, facts, count, false);
  return result.broken.empty() ? result : told(how, facts, count, true);
}

} // namespace

std::string broken_law_in(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < setting_bytes)
    return {};
  auto count = (bytes.size() - setting_bytes) / fact_bytes;
  return told(decoded_settings(bytes.data()), bytes.data() + setting_bytes,
              std::min(count, most_facts))
    .broken;
}

fact_outcome live_through(const settings& how,
                          const std::vector<std::uint8_t>& facts) {
  return told(how, facts.data(), facts.size() / fact_bytes);
}

} // namespace test
