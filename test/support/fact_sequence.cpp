#include "support/fact_sequence.hpp"

#include "support/dispatcher_witness.hpp"
#include "support/dispatcher_world.hpp"
#include "support/fact_decoding.hpp"

#include <algorithm>
#include <random>
#include <utility>

using libpool::ending;
using libpool::errc;

namespace test {

namespace {

constexpr std::size_t most_facts = 400;
/// So many workers have a number that restrictions and moves know.
constexpr std::uint64_t numbered = 64;

/// The restrictions that tasks may have: of every 12 workers those whose bits
/// are set, from the first one on. Some overlap, some are for few workers, and
/// one is for workers that have not joined yet.
void add_restrictions(dispatcher_world& to) {
  struct pattern {
    bool loose = false;
    unsigned of_twelve = 0;
    std::uint64_t first = 0;
    std::uint64_t end = numbered;
  };
  constexpr std::array<pattern, 10> patterns{{{false, 0x333},
                                              {false, 0x666},
                                              {false, 0x888},
                                              {true, 0x111},
                                              {true, 0xCCC},
                                              {true, 0x555},
                                              {false, 0x555, 4},
                                              {false, 0x002, 0, 2},
                                              {false, 0x231, 0, 12},
                                              {false, 0x48C, 0, 16}}};
  for (const auto& pattern : patterns) {
    auto& where = to.restrictions.emplace_back();
    where.loose = pattern.loose;
    for (auto number = pattern.first; number < pattern.end; ++number)
      if ((pattern.of_twelve >> number % 12 & 1U) != 0)
        where.only.push_back(libpool::worker_number{number});
  }
}

/// A world that is told facts, with a witness.
class run {
public:
  run(const settings& how, bool logs)
    : how_(how),
      world_(policies_of(how), how.within),
      witness_(prepared(world_, how), how),
      logs_(logs) {
    for (std::uint64_t i = 0; i < numbered; ++i) {
      near_[0].push_back(time_units(i % 3 * 4));
      near_[1].push_back(time_units(i % 2 * 3'600'000));
    }
  }

  void begin() {
    for (std::size_t i = 0; i < how_.joined; ++i)
      join(i);
  }

  void tell(const fact& f) {
    world_.now += time_units(f.later);
    tell_dispatcher(f);
    if (f.dispatches)
      witness_.dispatched();
  }

  void end() {
    if (logs_)
      log_ += "the end\n";
    if (how_.end == 0)
      finish_all();
    if (how_.end == 1)
      abandon();
    for (std::size_t i = 0; i < how_.workers; ++i)
      how_.end == 3 ? witness_.retired(i) : witness_.left(i);
    end_sent_tasks(how_.end == 1 ? ending::crashed : ending::completed);
    abandon();
    for (std::size_t i = 0; i < how_.workers; ++i)
      witness_.left(i);
    witness_.check_the_end();
  }

  const std::string& log() const {
    return log_;
  }

  fact_outcome outcome() const {
    return {{},
            witness_.sends(),
            world_.pool.books().completed,
            world_.pool.record().all.stolen,
            witness_.doublings()};
  }

private:
  static dispatcher_world& prepared(dispatcher_world& w, const settings& how) {
    w.tasks.resize(how.tasks);
    w.workers.resize(how.workers);
    for (std::size_t i = 0; i < how.workers; ++i) {
      w.workers[i].window = how.windows[i];
      w.workers[i].seats = how.seats[i];
      w.workers[i].takes_leases = true;
      if (how.weighs)
        w.workers[i].weight = time_units(i + 1);
    }
    add_restrictions(w);
    return w;
  }

  void tell_dispatcher(const fact& f) {
    auto subject = subject_of(f);
    if (logs_)
      note(f, subject);
    switch (f.is) {
      case kind::submit:
        return submit(f, subject);
      case kind::start:
        return witness_.started(subject);
      case kind::finish:
        return witness_.finished(subject, ending::completed);
      case kind::crash:
        return witness_.finished(subject, ending::crashed);
      case kind::fail:
        return witness_.answered_with_error(subject, time_units(f.width % 3));
      case kind::come_back:
        return witness_.returned(subject);
      case kind::cancel:
        return witness_.cancelled(subject, errc::client_gone);
      case kind::spare:
        return witness_.spared(subject);
      case kind::keep:
        return witness_.kept(subject);
      case kind::refuse:
        return witness_.refused(subject, errc::cycle);
      case kind::tick:
        return witness_.ticked();
      case kind::join:
        return join(subject);
      case kind::retire:
        return witness_.retired(subject);
      case kind::leave:
        return witness_.left(subject);
      case kind::pause:
        return witness_.paused(subject);
      case kind::resume:
        return witness_.resumed(subject);
      case kind::close:
        return witness_.closed(errc::pool_closed);
      case kind::desert:
        return witness_.deserted(errc::no_workers);
      case kind::abandon:
        return abandon();
      default:
        return tell_of_pauses(f, subject);
    }
  }

  /// Pauses by users, and limits.
  void tell_of_pauses(const fact& f, std::size_t subject) {
    switch (f.is) {
      case kind::suspend_worker:
        return witness_.suspended(subject);
      case kind::reinstate_worker:
        return witness_.reinstated(subject);
      case kind::suspend:
        return witness_.suspended();
      case kind::reinstate:
        return witness_.reinstated();
      case kind::suspend_flow:
        return witness_.suspended(std::to_string(f.flow));
      case kind::reinstate_flow:
        return witness_.reinstated(std::to_string(f.flow));
      case kind::reinstate_all:
        return witness_.all_reinstated();
      case kind::limit:
        return witness_.limited(
          decoded_throttles(f.pick, how_.when == libpool::assignment::lazy));
      default:
        return;
    }
  }

  void submit(const fact& f, std::size_t index) {
    auto& task = world_.tasks[index];
    if (!witness_.of_task(index).known) {
      task.urgent = f.urgent && !how_.keeps_keys;
      task.repeatable = f.repeatable;
      task.deadline = f.due_in == 0 ? libpool::never
                                    : world_.now + time_units(f.due_in - 1);
      task.own_notes().priority = static_cast<std::int64_t>(f.level);
      task.flow = libpool::flow_ref{f.flow};
      task.own_notes().width = how_.is_narrow ? 1 : f.width;
      task.own_notes().asker = f.asks > 0 ? asker_from(f.asks - 1, index)
                                          : nullptr;
      task.own_notes().asking = nullptr;
      if (task.notes().asker != nullptr && f.asks % 3 == 0) // one of its tasks
        task.own_notes().asking =
          std::exchange(task.own_notes().asker, nullptr)->on;
      place(task, f);
      price(task, f);
    }
    witness_.submitted(index);
  }

  /// A task whose handler runs, to wait for the task.
  libpool::task* asker_from(std::size_t first, std::size_t task) {
    for (std::size_t i = 0; i < how_.tasks; ++i)
      if (auto other = (first + i) % how_.tasks;
          other != task && witness_.of_task(other).begun)
        return &world_.tasks[other];
    return nullptr;
  }

  /// Where the task may run, wishes to, or has to.
  void place(libpool::task& task, const fact& f) {
    task.own_notes().key.reset();
    if (how_.holds_keys ? f.level > 0 : how_.steals && f.level == 3)
      task.own_notes().key = f.level;
    task.own_notes().where = nullptr;
    if (f.where > 0 && (!how_.moves_are_dear || f.pick % 4 == 0))
      task.own_notes().where = &world_.restrictions[f.where - 1];
    task.own_notes().home.reset();
    if (f.home > 0)
      task.own_notes().home =
        world_.workers[(f.home - 1) % how_.workers].number;
  }

  /// The costs of the task, and of its moves.
  void price(libpool::task& task, const fact& f) {
    using numbers = std::array<int, 8>;
    constexpr std::array<numbers, 2> costs{
      numbers{-1, -1, -1, 0, 1, 5, 16, 99},
      numbers{10, 10, 10, 10, 10, 10, 2, 1}};
    constexpr std::array<numbers, 2> moves{
      numbers{0, 0, 0, 1, 3, 9, 30, 3'600'000},
      numbers{50, 200, 1000, 1000, 1000, 1000, 1000, 9}};
    auto row = how_.moves_are_dear ? 1U : 0U;
    auto cost = costs[row][f.cost];
    task.set_kind(f.flow);
    task.own_attempt().cpu_time = time_units(cost + 1);
    task.own_notes().estimate.reset();
    if (cost >= 0)
      task.own_notes().estimate = time_units(cost);
    task.own_notes().move = time_units(moves[row][f.move]);
    task.own_notes().moves = nullptr;
    if (f.near < 2 && (!how_.moves_are_dear || f.pick / 4 % 8 == 0))
      task.own_notes().moves = &near_[f.near];
  }

  void join(std::size_t worker) {
    if (!witness_.of_worker(worker).known)
      world_.workers[worker].number = libpool::worker_number{joined_++};
    witness_.joined(worker);
  }

  void abandon() {
    witness_.abandoned(errc::no_workers);
  }

  // -- the subject of a fact --------------------------------------------------

  std::size_t subject_of(const fact& f) const {
    auto size = f.is >= kind::join ? how_.workers : how_.tasks;
    for (std::size_t i = 0; i < size; ++i)
      if (f.wild || is_possible(f.is, (f.pick + i) % size))
        return (f.pick + i) % size;
    return f.pick % size;
  }

  bool is_possible(kind is, std::size_t subject) const {
    if (is >= kind::join)
      return is_possible_for(is, witness_.of_worker(subject));
    const auto& life = witness_.of_task(subject);
    if (is == kind::submit || is == kind::refuse)
      return !life.known;
    if (is == kind::start)
      return life.on && !life.begun && !life.follows;
    if (is == kind::come_back)
      return life.on && !life.begun;
    if (is == kind::cancel)
      return life.known && !life.settled;
    if (is == kind::keep)
      return life.on && !life.begun && life.recalled;
    if (is == kind::spare)
      return life.on && !life.begun && life.unwanted;
    return life.on && !life.follows;
  }

  static bool is_possible_for(kind is, const worker_life& life) {
    if (is == kind::join)
      return !life.known;
    if (is == kind::retire)
      return life.known && !life.out;
    if (is == kind::pause)
      return life.known && !life.pauses;
    if (is == kind::resume)
      return life.pauses;
    if (is == kind::suspend_worker)
      return life.known && !life.out && !life.suspended;
    if (is == kind::reinstate_worker)
      return life.suspended;
    return life.known && !life.dead;
  }

  // -- the end ----------------------------------------------------------------

  void finish_all() {
    world_.now += time_units(20'000); // after all deadlines and rests
    witness_.ticked();
    for (std::size_t i = 0; i < how_.workers; ++i)
      witness_.resumed(i);
    witness_.all_reinstated();
    witness_.limited({});
    // Each round ends what each worker was sent, or all that a worker hangs on.
    for (std::size_t i = 0; i < 3 * how_.tasks; ++i) {
      witness_.dispatched();
      end_sent_tasks(ending::completed);
    }
    for (std::size_t i = 0; i < how_.tasks; ++i)
      for (std::size_t j = 0; j < how_.workers; ++j)
        if (world_.workers[j].is == libpool::worker::condition::serving
            && witness_.may_run(i, j) && !witness_.is_held(i))
          require(!witness_.of_task(i).known,
                  "as long as a worker serves, tasks that it may run are done");
    auto books = world_.pool.books();
    require(books.assigned + books.sent + books.running == 0,
            "tasks that are bound are done");
  }

  /// Recalled tasks come back, or start all the same; all others end, and
  /// those that follow others end behind them.
  void end_sent_tasks(ending how) {
    std::vector<std::size_t> later;
    for (std::size_t i = 0; i < how_.tasks; ++i)
      if (!end_sent_task(i, how))
        later.push_back(i);
    while (!later.empty()) {
      auto i = std::stable_partition(
        later.begin(), later.end(),
        [&](std::size_t task) { return !end_sent_task(task, how); });
      later.erase(i, later.end());
    }
  }

  /// Returns false if the task follows another one that has not ended.
  bool end_sent_task(std::size_t task, ending how) {
    const auto& life = witness_.of_task(task);
    if (life.on && life.recalled && !life.begun
        && (task % 2 == 0 || life.follows))
      witness_.returned(task);
    else if (life.follows)
      return false;
    else
      witness_.finished(task, how);
    return true;
  }

  void note(const fact& f, std::size_t subject) {
    log_ += std::to_string((world_.now - libpool::instant{}) / time_units(1))
            + ": ";
    log_.append(name_of(f.is)) += " " + std::to_string(subject);
    log_ += f.dispatches ? "\n" : " (no dispatch)\n";
  }

  settings how_;
  std::array<std::vector<libpool::duration>, 2> near_; // moves, by worker
  dispatcher_world world_;
  dispatcher_witness witness_;
  std::uint64_t joined_ = 0;
  /// Texts take more time than all else, so there are some on demand only.
  bool logs_;
  std::string log_;
};

fact_outcome told(const settings& how, const std::vector<coded_fact>& facts,
                  bool logs) {
  run r{how, logs};
  try {
    r.begin();
    for (const auto& bytes : facts)
      r.tell(decoded_fact(bytes));
    r.end();
  } catch (const broken_law& law) {
    fact_outcome result;
    result.broken = "broken: " + std::string{law.what()} + "\n" + r.log();
    return result;
  }
  return r.outcome();
}

} // namespace

fact_outcome live_through(const settings& how,
                          const std::vector<coded_fact>& facts) {
  auto result = told(how, facts, false);
  return result.broken.empty() ? result : told(how, facts, true);
}

std::string broken_law_in(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < setting_bytes)
    return {};
  coded_settings how{};
  std::copy_n(bytes.data(), setting_bytes, how.data());
  auto count = (bytes.size() - setting_bytes) / fact_bytes;
  std::vector<coded_fact> facts(std::min(count, most_facts));
  for (std::size_t i = 0; i < facts.size(); ++i)
    std::copy_n(bytes.data() + setting_bytes + i * fact_bytes, fact_bytes,
                facts[i].data());
  return live_through(decoded_settings(how), facts).broken;
}

coded_fact likely(coded_fact fact) {
  fact[1] %= 224; // or it is wild
  if (fact[4] % 8 != 0)
    fact[2] %= 16; // no deadline
  return fact;
}

std::vector<coded_fact> random_facts(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 engine{seed};
  std::vector<coded_fact> result(count);
  for (auto& fact : result)
    for (auto& byte : fact)
      byte = static_cast<std::uint8_t>(engine());
  return result;
}

std::vector<coded_fact> likely_facts(std::uint64_t seed, std::size_t count) {
  auto result = random_facts(seed, count);
  std::transform(result.begin(), result.end(), result.begin(), likely);
  return result;
}

} // namespace test
