#include "support/fact_sequence.hpp"

#include "libpool/policies/catalogue.hpp"
#include "support/dispatcher_witness.hpp"
#include "support/dispatcher_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

using libpool::assignment;
using libpool::ending;
using libpool::errc;
using libpool::overflow;

namespace test {

namespace {

constexpr std::size_t tasks = 16;
constexpr std::size_t workers = 4;
constexpr std::size_t most_facts = 400;
/// So many workers have a number that restrictions know.
constexpr std::uint64_t numbered = 32;

/// A pool, as the first bytes say.
struct settings : makeup {
  const libpool::placement_entry* placement = nullptr;
  libpool::measure measure{};
  bool weighs = false;
  std::array<std::size_t, workers> windows{};
  std::size_t joined = 0;
  /// How it is driven to its end.
  unsigned end = 0;
};

/// The placement, and what has to be as it wants it, or as its laws do.
void decode_policies(settings& how, std::uint8_t byte) {
  constexpr std::array measures{
    libpool::measure::service_time, libpool::measure::cpu_time,
    libpool::measure::wait_time, libpool::measure::service_time};
  const auto& all = libpool::placements();
  how.placement = &all[byte % 16U % all.size()];
  how.when = how.placement->needs.value_or(how.when);
  how.measure = measures[byte >> 6U];
  how.by_priority = how.when == assignment::lazy && (byte & 32U) != 0;
  if ((byte & 16U) != 0)
    how.age_step = std::chrono::milliseconds{2};
  how.holds_keys = how.placement->name == "consistent_hash";
  how.keeps_keys = how.holds_keys && (byte & 16U) != 0;
  if (how.keeps_keys) {
    how.steals = false;
    how.within.retries = 0;
  }
}

settings decoded(const std::uint8_t* bytes) {
  constexpr auto endless = static_cast<std::size_t>(-1);
  constexpr std::array<std::size_t, 8> capacities{endless, 0, 1, 2,
                                                  3,       5, 8, endless};
  settings result;
  result.when = (bytes[0] & 1U) == 0 ? assignment::lazy : assignment::eager;
  result.steals = (bytes[0] & 2U) != 0;
  result.within.on_overflow = (bytes[0] & 4U) == 0 ? overflow::refuse
                                                   : overflow::drop_oldest;
  result.within.retries = (bytes[0] >> 3U) % 3;
  result.within.poison_after = (bytes[0] >> 5U) % 3;
  result.within.capacity = capacities[bytes[1] % capacities.size()];
  for (std::size_t i = 0; i < workers; ++i)
    result.windows[i] = 1 + (bytes[2] >> (2 * i)) % 4U % 3U;
  result.joined = (bytes[3] + 1U) % (workers + 1);
  result.end = bytes[3] / 8U % 4U;
  result.weighs = (bytes[3] & 128U) != 0;
  decode_policies(result, bytes[4]);
  return result;
}

enum class kind : std::uint8_t {
  submit,
  start,
  finish,
  crash,
  come_back,
  cancel,
  refuse,
  tick,
  join,
  retire,
  leave,
  pause,
  resume,
  close,
  desert,
  abandon,
};

constexpr std::array<const char*, 16> names{
  "submit", "start", "finish", "crash",  "come_back", "cancel",
  "refuse", "tick",  "join",   "retire", "leave",     "pause",
  "resume", "close", "desert", "abandon"};

/// What happens often is there more than once.
constexpr std::array<kind, 32> kinds{
  kind::submit,    kind::submit, kind::submit, kind::submit, kind::submit,
  kind::submit,    kind::submit, kind::start,  kind::start,  kind::start,
  kind::start,     kind::start,  kind::finish, kind::finish, kind::finish,
  kind::finish,    kind::crash,  kind::crash,  kind::pause,  kind::come_back,
  kind::come_back, kind::resume, kind::cancel, kind::cancel, kind::tick,
  kind::tick,      kind::tick,   kind::join,   kind::join,   kind::retire,
  kind::leave,     kind::refuse};

/// One fact. Which task or worker it is about depends on what is possible when
/// it is told, unless it is `wild`.
struct fact {
  kind is;
  unsigned pick;
  bool wild;
  bool urgent;
  bool repeatable;
  bool dispatches;
  unsigned ms_later;
  /// Before its deadline, from 1; 0: it has none.
  unsigned due_in;
  /// Which of the restrictions, from 1; 0: none.
  unsigned where;
  /// Its priority, and its key, from 1; 0: none.
  unsigned level;
  /// Which worker is its home, from 1; 0: none.
  unsigned home;
};

fact decoded_fact(const std::uint8_t* bytes) {
  constexpr std::array<unsigned, 16> pauses{0, 0, 0, 0, 0, 0, 0, 1,
                                            1, 1, 1, 2, 2, 3, 5, 9};
  fact result{};
  result.is = kinds[bytes[0] % kinds.size()];
  result.dispatches = (bytes[0] >> 5U) % 4U != 3;
  result.urgent = (bytes[0] & 128U) != 0;
  result.pick = bytes[1] % 16U;
  result.repeatable = (bytes[1] & 16U) == 0;
  result.wild = bytes[1] >= 224;
  result.ms_later = pauses[bytes[2] % 16U];
  result.due_in = bytes[2] / 16U;
  auto where = bytes[3] % 8U;
  auto home = bytes[3] / 32U;
  result.where = where < 2 ? 0 : where - 1;
  result.level = bytes[3] / 8U % 4U;
  result.home = home < 4 ? 0 : home - 3;
  constexpr std::array<kind, 8> rare{kind::desert, kind::desert, kind::desert,
                                     kind::refuse, kind::refuse, kind::refuse,
                                     kind::close,  kind::abandon};
  if (result.wild && result.is == kind::refuse)
    result.is = rare[result.pick % rare.size()];
  return result;
}

libpool::composition policies_of(const settings& how) {
  libpool::placement_options options;
  options.measure = how.measure;
  options.history = 4;
  options.probe_every = 2;
  auto result = composed(how.when, how.steals);
  result.placement = how.placement->make(options);
  if (how.by_priority)
    result.order = libpool::order_named("priority").make({how.age_step});
  return result;
}

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
      world_(policies_of(how), how.within),
      witness_(prepared(world_, how), how),
      logs_(logs) {
    for (std::size_t i = 0; i < how.joined; ++i)
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

private:
  static dispatcher_world& prepared(dispatcher_world& w, const settings& how) {
    w.tasks.resize(tasks);
    w.workers.resize(workers);
    for (std::size_t i = 0; i < workers; ++i) {
      w.workers[i].window = how.windows[i];
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

  void submit(const fact& f, std::size_t what) {
    auto& it = world_.tasks[what];
    if (!witness_.of_task(what).known) {
      it.urgent = f.urgent;
      it.repeatable = f.repeatable;
      it.deadline = f.due_in == 0
                      ? libpool::never
                      : world_.now + std::chrono::milliseconds{f.due_in - 1};
      place(it, f);
    }
    witness_.submitted(what);
  }

  void place(libpool::task& it, const fact& f) {
    it.priority = f.level;
    it.key.reset();
    it.home.reset();
    it.where = nullptr;
    if (how_.holds_keys && f.level > 0)
      it.key = f.level;
    if (how_.keeps_keys) {
      it.urgent = false;
      return;
    }
    if (f.where > 0)
      it.where = &world_.restrictions[f.where - 1];
    if (f.home > 0)
      it.home = world_.workers[f.home - 1].number;
  }

  void join(std::size_t who) {
    if (!witness_.of_worker(who).known)
      world_.workers[who].number = libpool::worker_number{joined_++};
    witness_.joined(who);
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

  void note(const fact& f, std::size_t what) {
    log_ += std::to_string((world_.now - libpool::instant{}).count() / 1000000)
            + " ms: " + names[static_cast<std::size_t>(f.is)] + " "
            + std::to_string(what);
    if (f.is == kind::submit)
      log_ += std::string{f.urgent ? " urgent" : ""}
              + (f.repeatable ? "" : " once")
              + (f.due_in > 0 ? " due in " + std::to_string(f.due_in - 1) : "")
              + (f.where > 0 ? " where " + std::to_string(f.where - 1) : "")
              + (f.level > 0 ? " level " + std::to_string(f.level) : "")
              + (f.home > 0 ? " home " + std::to_string(f.home - 1) : "");
    log_ += f.dispatches ? "\n" : " (no dispatch)\n";
  }

  settings how_;
  dispatcher_world world_;
  dispatcher_witness witness_;
  std::uint64_t joined_ = 0;
  /// Texts take more time than all else, so there are some on demand only.
  bool logs_;
  std::string log_;
};

std::string text_of(const settings& how) {
  auto result =
    std::string{how.placement->name}
    + (how.when == assignment::lazy ? ", lazy" : ", eager")
    + (how.by_priority ? ", by priority" : "")
    + (how.by_priority && how.age_step ? " and age" : "")
    + (how.keeps_keys ? ", keeps keys" : "") + (how.weighs ? ", weighs" : "")
    + (how.steals ? ", steals" : "")
    + (how.within.on_overflow == overflow::refuse ? "" : ", drops the oldest")
    + ", capacity " + std::to_string(how.within.capacity) + ", retries "
    + std::to_string(how.within.retries) + ", poison after "
    + std::to_string(how.within.poison_after) + ", windows";
  for (auto window : how.windows)
    result += " " + std::to_string(window);
  return result + ", joined " + std::to_string(how.joined) + "\n";
}

/// The law that the facts in `bytes` break, if any, and what led there.
std::string told(const std::vector<std::uint8_t>& bytes, bool logs) {
  auto how = decoded(bytes.data());
  run r{how, logs};
  try {
    auto facts = (bytes.size() - setting_bytes) / fact_bytes;
    for (std::size_t i = 0; i < std::min(facts, most_facts); ++i)
      r.tell(decoded_fact(bytes.data() + setting_bytes + i * fact_bytes));
    r.end(how.end);
  } catch (const broken_law& law) {
    return std::string{"broken: "} + law.what() + "\n" + text_of(how) + r.log();
  }
  return {};
}

} // namespace

std::string broken_law_in(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < setting_bytes || told(bytes, false).empty())
    return {};
  return told(bytes, true);
}

} // namespace test
