/// `chaos`: a distributed pool and its nodes as programs that others kill, stop
/// and cut off, and what can be counted of that.
///
/// `chaos pool FOLDER` prints its port, has its nodes compute squares, and says
/// how it went; it fails unless each request was answered once and the pool's
/// ledger agrees; what is refused is answered too. With `--capacity` it fails
/// unless the pool's memory stays below that and 2 MiB a node. `chaos node
/// FOLDER --port N --log FILE` computes them, and logs each number before.
/// `chaos check FILE... --times N` fails if the files have a number more often
/// than that. FOLDER has certificates.

#include "libpool/pool.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/join_pool.hpp"
#include "libpool/remote/network.hpp"
#include "port/sending.hpp"

#include <CLI/CLI.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using libpool::actor_pool;
using number = std::int64_t;
using steady = std::chrono::steady_clock;

struct settings {
  std::string folder;
  number tasks = 10000;
  unsigned seconds = 0; // for so long at most, if it is not 0
  unsigned lease = 1000;
  unsigned retries = 3;
  bool lossless = false; // no task may be lost with a node
  unsigned in_flight = 4096;
  std::size_t content = 0;  // bytes that travel with each number
  std::size_t capacity = 0; // of the pool, in bytes; 0: no limit
  unsigned work = 0;        // of a node, in ms for each number
  std::uint16_t port = 0;
  std::string log;
  std::vector<std::string> logs;
  unsigned times = 0;
};

// -- the pool -----------------------------------------------------------------

/// What clients have seen, and what the pool has told.
struct account {
  number asked = 0;
  std::vector<std::uint8_t> answers; // to each number
  number wrong = 0;
  std::map<std::string, number> errors;
  std::atomic<number> settled{0};
  std::atomic<number> losses{0};    // of nodes that had a task
  std::uint64_t most_under_way = 0; // to one node, in bytes
};

/// Asks for the squares of numbers in order, so many at a time, and ends when
/// all have been answered.
class asker : public caf::event_based_actor {
public:
  asker(caf::actor_config& cfg, caf::actor pool, const settings& how,
        account& seen)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      content_(how.content, 'x'),
      how_(how),
      seen_(seen),
      until_(steady::now() + std::chrono::seconds{how.seconds}) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (unsigned i = 0; i < how_.in_flight; ++i)
      ask_next();
    return {[](const caf::unit_t&) {}};
  }

private:
  bool has_enough() const {
    return seen_.asked == how_.tasks
           || (how_.seconds > 0 && steady::now() >= until_);
  }

  void ask_next() {
    if (has_enough()) {
      if (open_ == 0)
        quit();
      return;
    }
    auto x = seen_.asked++;
    seen_.answers.push_back(0);
    ++open_;
    port::request(this, pool_, std::chrono::seconds{3600}, x, content_)
      .then(
        [this, x](number square) {
          seen_.wrong += square == x * x ? 0 : 1;
          answered(x);
        },
        [this, x](const caf::error& why) {
          ++seen_.errors[libpool::render(why, system())];
          answered(x);
        });
  }

  void answered(number x) {
    ++seen_.answers[static_cast<std::size_t>(x)];
    --open_;
    ask_next();
  }

  const caf::actor pool_;
  const std::string content_;
  const settings& how_;
  account& seen_;
  const steady::time_point until_;
  number open_ = 0;
};

caf::actor make_pool(caf::actor_system& system, const settings& how,
                     account& seen) {
  libpool::managed_options options;
  options.on_crash = libpool::retry{how.retries};
  options.on_settled = [&](const libpool::settled_task& task) {
    ++seen.settled;
    seen.losses += task.crashes;
  };
  libpool::node_options nodes;
  nodes.token = "of this farm";
  nodes.lease = std::chrono::milliseconds{how.lease};
  if (how.capacity > 0)
    nodes.capacity_bytes = how.capacity;
  return actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
}

/// Until connections and threads have the memory that they need themselves.
settings first_of(settings how) {
  how.tasks = std::min<number>(how.tasks, 5000);
  how.seconds = 0;
  how.content = 0;
  return how;
}

/// Asks all there is to ask, and looks meanwhile at how much is under way.
void ask(caf::actor_system& system, const caf::actor& pool, const settings& how,
         account& seen) {
  caf::scoped_actor self{system};
  self->monitor(system.spawn<asker>(pool, how, seen));
  for (auto is_over = false; !is_over;) {
    for (const auto& each : libpool::nodes_of(pool).nodes)
      seen.most_under_way = std::max(seen.most_under_way, each.bytes_under_way);
    self->receive([&](const caf::down_msg&) { is_over = true; },
                  caf::after(std::chrono::milliseconds{20}) >> [] {});
  }
}

libpool::pool_stats stats_of(caf::actor_system& system,
                             const caf::actor& pool) {
  caf::scoped_actor self{system};
  libpool::pool_stats result;
  port::request(self, pool, std::chrono::seconds{60}, caf::sys_atom{},
                libpool::stats_atom{})
    .receive([&](libpool::pool_stats& got) { result = std::move(got); },
             [&](const caf::error& why) {
               throw std::runtime_error(libpool::render(why, system));
             });
  return result;
}

/// In kB, as the system names it: `VmRSS`, `VmHWM`.
std::size_t memory(const std::string& name) {
  std::ifstream status{"/proc/self/status"};
  std::string word;
  std::size_t result = 0;
  while (status >> word)
    if (word == name + ":")
      status >> result;
  return result;
}

/// The most memory that this program has had is counted from here on.
void forget_peak() {
  std::ofstream{"/proc/self/clear_refs"} << 5;
}

/// Prints how much memory the pool took beyond what was there before, and how
/// much was under way, and whether that is within bounds.
bool is_bounded(std::size_t before, std::size_t nodes, const settings& how,
                const account& seen) {
  auto taken = memory("VmHWM") - before;
  auto most = how.capacity / 1024 + nodes * 2048;
  std::cout << taken << " kB taken, " << seen.most_under_way
            << " bytes on their way to a node\n";
  return seen.most_under_way <= libpool::node_options{}.credit
         && (how.capacity == 0 || taken <= most);
}

/// Prints the account, and whether it adds up.
bool tell(const account& seen, const libpool::pool_stats& pool,
          std::size_t nodes) {
  auto failed = number{0};
  for (const auto& [words, times] : seen.errors) {
    std::cout << times << " answered with: " << words << '\n';
    failed += times;
  }
  auto once = std::count(seen.answers.begin(), seen.answers.end(), 1);
  std::cout << seen.asked << " asked, " << once << " answered once, "
            << seen.wrong << " wrong, " << failed << " with an error; "
            << seen.losses << " times a task was lost with a node; " << nodes
            << " nodes in the end\n";
  auto of = [](std::uint64_t x) { return static_cast<number>(x); };
  auto refused = of(pool.tasks.refused);
  return once == seen.asked && seen.wrong == 0 && seen.settled == seen.asked
         && of(pool.tasks.accepted) == seen.asked - refused
         && of(pool.tasks.completed) == seen.asked - failed
         && of(pool.tasks.failed) == failed - refused && pool.tasks.waiting == 0
         && pool.tasks.assigned == 0 && pool.tasks.running == 0;
}

int run_pool(caf::actor_system& system, const settings& how) {
  account seen;
  auto pool = make_pool(system, how, seen);
  libpool::gate_options where;
  where.port = how.port;
  auto entrance = libpool::gate::for_agents(system, pool, where);
  if (!entrance)
    throw std::runtime_error(libpool::render(entrance.error(), system));
  std::cout << entrance->port() << std::endl; // at once: others wait for it
  ask(system, pool, first_of(how), seen);
  forget_peak();
  const auto before = memory("VmRSS");
  ask(system, pool, how, seen);
  auto nodes = libpool::nodes_of(pool).nodes.size();
  auto adds_up = tell(seen, stats_of(system, pool), nodes);
  adds_up = is_bounded(before, nodes, how, seen) && adds_up;
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return adds_up && (seen.losses == 0 || !how.lossless) ? EXIT_SUCCESS
                                                        : EXIT_FAILURE;
}

// -- a node -------------------------------------------------------------------

/// A file to which numbers are added, whole and at once.
class run_log {
public:
  explicit run_log(const std::string& path)
    : fd_(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
    if (fd_ < 0)
      throw std::runtime_error("cannot open " + path);
  }
  run_log(const run_log&) = delete;
  run_log& operator=(const run_log&) = delete;
  ~run_log() {
    ::close(fd_);
  }

  void add(number x) const {
    if (::write(fd_, &x, sizeof x) != sizeof x)
      throw std::runtime_error("cannot log");
  }

private:
  int fd_;
};

void work_until(steady::time_point end) {
  while (steady::now() < end) {
    // it works
  }
}

int run_node(caf::actor_system& system, const settings& how) {
  auto log = std::make_shared<const run_log>(how.log);
  auto worker = [log, &how]() -> caf::behavior {
    return {[log, &how](number x, const std::string&) {
      log->add(x);
      work_until(steady::now() + std::chrono::milliseconds{how.work});
      return x * x;
    }};
  };
  libpool::join_options offer;
  offer.token = "of this farm";
  offer.slots = 2;
  libpool::join_pool(system, {"127.0.0.1", how.port}, offer,
                     [&system, worker] { return system.spawn(worker); });
  system.await_all_actors_done();
  return EXIT_SUCCESS;
}

// -- afterwards ---------------------------------------------------------------

int check_logs(const settings& how) {
  std::map<number, unsigned> runs;
  for (const auto& path : how.logs) {
    std::ifstream in{path, std::ios::binary};
    number x = 0;
    while (in.read(reinterpret_cast<char*>(&x), sizeof x))
      ++runs[x];
  }
  std::map<unsigned, number> by_times;
  for (const auto& [x, times] : runs)
    ++by_times[times];
  for (const auto& [times, tasks] : by_times)
    std::cout << tasks << " tasks began " << times << " times\n";
  return !runs.empty() && by_times.rbegin()->first <= how.times ? EXIT_SUCCESS
                                                                : EXIT_FAILURE;
}

int run_system(const settings& how, const char* me,
               int (*body)(caf::actor_system&, const settings&)) {
  caf::actor_system_config config;
  libpool::set_up(config);
  libpool::load_network(config);
  const auto mine = how.folder + "/" + me;
  libpool::use_tls(config,
                   {mine + ".pem", mine + ".key", how.folder + "/ca.pem", ""});
  caf::actor_system system{config};
  return body(system, how);
}

} // namespace

int main(int argc, char** argv) try {
  settings how;
  CLI::App app{"A distributed pool that is tormented"};
  app.require_subcommand(1);
  auto* pool = app.add_subcommand("pool", "asks its nodes for squares");
  auto* node = app.add_subcommand("node", "serves a pool");
  auto* check = app.add_subcommand("check", "reads the logs of nodes");
  for (auto* each : {pool, node})
    each->add_option("folder", how.folder, "of certificates")->required();
  pool->add_option("--tasks", how.tasks, "so many, at most");
  pool->add_option("--seconds", how.seconds, "for so long, at most");
  pool->add_option("--lease", how.lease, "in ms");
  pool->add_option("--retries", how.retries, "of each task");
  pool->add_option("--content", how.content, "bytes with each number");
  pool->add_option("--capacity", how.capacity, "of the pool, in bytes");
  pool->add_flag("--lossless", how.lossless, "fails if a node is lost");
  node->add_option("--port", how.port, "of the pool")->required();
  node->add_option("--work", how.work, "ms for each number");
  node->add_option("--log", how.log, "of what it begins")->required();
  check->add_option("logs", how.logs, "of nodes")->required();
  check->add_option("--times", how.times, "may a task begin")->required();
  CLI11_PARSE(app, argc, argv);
  if (*check)
    return check_logs(how);
  return *pool ? run_system(how, "server", run_pool)
               : run_system(how, "client", run_node);
} catch (const std::exception& wrong) {
  std::cerr << "chaos: " << wrong.what() << '\n';
  return EXIT_FAILURE;
}
