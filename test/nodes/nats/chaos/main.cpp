/// `chaos`: a distributed pool, its nodes and a client as programs that others
/// kill, stop and cut off, and what can be counted of that. SERVER is the
/// address of a NATS server.
///
/// `chaos ask SERVER` has the pool compute squares, as its client, and says how
/// it went; it fails unless each request was answered once and its ledger
/// agrees; what is refused is answered too. `chaos pool SERVER` runs until its
/// input ends, and fails unless its ledger adds up. With `--durable` both use a
/// durable queue, and the client notes in its log what was answered, and does
/// not ask for it again. With `--capacity` it fails
/// unless its memory stays below that and 2 MiB a node. `chaos node SERVER
/// --log FILE` computes the squares, and logs each number before. `chaos check
/// FILE... --times N` fails if the files have a number more often than that.

#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <CLI/CLI.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

using libpool::actor_pool;
using number = std::int64_t;
using steady = std::chrono::steady_clock;

struct settings {
  std::vector<std::string> servers;
  number first = 0;
  number tasks = 10000;
  unsigned seconds = 0; // for so long at most, if it is not 0
  unsigned lease = 1000;
  unsigned retries = 3;
  bool lossless = false; // no task may be lost with a node
  unsigned in_flight = 4096;
  std::size_t content = 0;  // bytes that travel with each number
  std::size_t capacity = 0; // of the pool, in bytes; 0: no limit
  unsigned work = 0;        // of a node, in ms for each number
  std::string name = "client";
  std::string log;
  std::vector<std::string> logs;
  bool durable = false;
  unsigned durable_retries = 0;
  unsigned standby = 0; // in ms; 0: no other front
  unsigned times = 0;
};

// -- logs ---------------------------------------------------------------------

/// Returns a function that adds numbers to the file, whole and at once.
std::function<void(number)> log_to(const std::string& path) {
  auto file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                     0600);
  if (file < 0)
    throw std::runtime_error("cannot open " + path);
  return [file](number x) {
    if (::write(file, &x, sizeof x) != sizeof x)
      throw std::runtime_error("cannot log");
  };
}

std::vector<number> all_numbers_in(const std::string& path) {
  std::vector<number> result;
  std::ifstream in{path, std::ios::binary};
  number x = 0;
  while (in.read(reinterpret_cast<char*>(&x), sizeof x))
    result.push_back(x);
  return result;
}

std::set<number> numbers_in(const std::string& path) {
  auto all = all_numbers_in(path);
  return {all.begin(), all.end()};
}

// -- the client ---------------------------------------------------------------

/// What a client has seen, and its queue has told.
struct account {
  number asked = 0;
  std::set<number> known; // answered in an earlier run
  std::function<void(number)> note;
  std::vector<std::uint8_t> answers; // to each number
  number wrong = 0;
  std::map<std::string, number> errors;
  std::atomic<number> settled{0};
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
    while (!has_enough() && seen_.known.count(how_.first + seen_.asked) > 0) {
      ++seen_.asked;
      seen_.answers.push_back(1);
    }
    if (has_enough()) {
      if (open_ == 0)
        quit();
      return;
    }
    auto x = how_.first + seen_.asked++;
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
    if (seen_.note)
      seen_.note(x);
    ++seen_.answers[static_cast<std::size_t>(x - how_.first)];
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

libpool::pool_address address_of(const settings& how) {
  libpool::nats_options by;
  by.servers = how.servers;
  by.insecure_loopback = true;
  return {"chaos", by};
}

/// Whether nothing is left in the ledger, and all is accounted for.
bool is_balanced(const libpool::ledger& tasks, number settled) {
  auto all = tasks.completed + tasks.failed + tasks.cancelled;
  std::cout << tasks.accepted << " accepted, " << tasks.completed
            << " completed, " << tasks.failed << " failed, " << tasks.cancelled
            << " cancelled, " << tasks.refused << " refused\n";
  return tasks.open() == 0 && all == tasks.accepted
         && static_cast<std::uint64_t>(settled) == all + tasks.refused;
}

/// Prints the account, and whether it adds up.
bool tell(const account& seen, const libpool::pool_stats& pool) {
  auto failed = number{0};
  for (const auto& [words, times] : seen.errors) {
    std::cout << times << " answered with: " << words << '\n';
    failed += times;
  }
  auto once = std::count(seen.answers.begin(), seen.answers.end(), 1);
  std::cout << seen.asked << " asked, " << once << " answered once, "
            << seen.wrong << " wrong, " << failed << " with an error\n";
  return is_balanced(pool.tasks, seen.settled) && once == seen.asked
         && seen.wrong == 0
         && seen.settled + static_cast<number>(seen.known.size()) == seen.asked;
}

int run_client(caf::actor_system& system, const settings& how) {
  account seen;
  libpool::connect_options with;
  with.name = how.name;
  with.lease = std::chrono::milliseconds{how.lease};
  with.patience = std::chrono::minutes{5};
  with.queue.on_settled = [&](const libpool::settled_task&) { ++seen.settled; };
  with.durable = how.durable;
  if (how.durable) {
    seen.known = numbers_in(how.log);
    with.id_of = [](const libpool::message_content& content) {
      return std::to_string(content.get_as<number>(0));
    };
    seen.note = log_to(how.log);
  }
  auto pool = libpool::connect(system, address_of(how), with);
  {
    caf::scoped_actor self{system};
    self->wait_for(system.spawn<asker>(pool, how, seen));
  }
  // The pool settles a task after its answer.
  const auto until = steady::now() + std::chrono::minutes{1};
  while (actor_pool::stats(pool).tasks.open() > 0 && steady::now() < until)
    std::this_thread::yield();
  auto adds_up = tell(seen, actor_pool::stats(pool));
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();
  return adds_up && (seen.errors.empty() || !how.lossless) ? EXIT_SUCCESS
                                                           : EXIT_FAILURE;
}

// -- the pool -----------------------------------------------------------------

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

/// What the pool's program notes.
struct record {
  std::atomic<number> settled{0};
  std::atomic<number> losses{0}; // of nodes that had a task
  std::atomic<bool> has_ended{false};
  std::size_t memory_before = 0;    // in kB
  std::uint64_t most_under_way = 0; // to one node, in bytes
};

/// Notes the memory for each line of input: connections and threads have what
/// they need themselves by then. The peak counts from there on.
void read_input(record& to) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::ofstream{"/proc/self/clear_refs"} << 5;
    to.memory_before = memory("VmRSS");
    std::cout << "measured" << std::endl;
  }
  to.has_ended = true;
}

/// Prints how much memory the pool took beyond what was there before, and how
/// much was under way, and whether that is within bounds.
bool is_bounded(const record& seen, std::size_t nodes, const settings& how) {
  auto taken = memory("VmHWM") - seen.memory_before;
  auto most = how.capacity / 1024 + nodes * 2048;
  std::cout << taken << " kB taken, " << seen.most_under_way
            << " bytes in flight to a node\n";
  return seen.most_under_way <= libpool::node_options{}.credit
         && (how.capacity == 0 || taken <= most);
}

caf::actor make_pool(caf::actor_system& system, const settings& how,
                     record& seen) {
  libpool::managed_options options;
  if (how.retries > 0)
    options.on_crash = libpool::retry{how.retries};
  options.on_settled = [&](const libpool::settled_task& task) {
    ++seen.settled;
    seen.losses += task.crashes;
  };
  libpool::node_options nodes;
  nodes.lease = std::chrono::milliseconds{how.lease};
  if (how.capacity > 0)
    nodes.capacity_bytes = how.capacity;
  return actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
}

libpool::serve_options serving(const settings& how) {
  libpool::serve_options result;
  if (how.standby > 0)
    result.standby = std::chrono::milliseconds{how.standby};
  result.on_serving = [] { std::cout << "serves" << std::endl; };
  if (!how.durable)
    return result;
  result.durable = libpool::durable_options{};
  result.durable->retries = how.durable_retries;
  result.durable->redelivery = std::chrono::milliseconds{how.lease};
  return result;
}

int run_pool(caf::actor_system& system, const settings& how) {
  constexpr std::chrono::milliseconds pause{20};
  record seen;
  auto pool = make_pool(system, how, seen);
  libpool::serve(pool, address_of(how), serving(how));
  std::thread input{[&] { read_input(seen); }};
  auto is_open = [&] { return actor_pool::summary(pool).tasks.open() > 0; };
  while (!seen.has_ended || is_open()) { // clients may have given up a task
    for (const auto& each : libpool::nodes_of(pool).nodes)
      seen.most_under_way = std::max(seen.most_under_way, each.bytes_under_way);
    std::promise<void>{}.get_future().wait_for(pause);
  }
  input.join();
  auto nodes = libpool::nodes_of(pool).nodes.size();
  std::cout << seen.losses << " times a task was lost with a node; " << nodes
            << " nodes in the end\n";
  auto adds_up = is_balanced(actor_pool::stats(pool).tasks, seen.settled);
  adds_up = is_bounded(seen, nodes, how) && adds_up;
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();
  return adds_up && (seen.losses == 0 || !how.lossless) ? EXIT_SUCCESS
                                                        : EXIT_FAILURE;
}

// -- a node -------------------------------------------------------------------

void work_until(steady::time_point end) {
  while (steady::now() < end) {
    // it works
  }
}

int run_node(caf::actor_system& system, const settings& how) {
  auto worker = [log = log_to(how.log), &how]() -> caf::behavior {
    return {[log, &how](number x, const std::string&) {
      log(x);
      work_until(steady::now() + std::chrono::milliseconds{how.work});
      return x * x;
    }};
  };
  libpool::join_options offer;
  offer.name = "node";
  offer.slots = 2;
  libpool::join_pool(system, address_of(how), offer,
                     [&system, worker] { return system.spawn(worker); });
  system.await_all_actors_done();
  return EXIT_SUCCESS;
}

// -- afterwards ---------------------------------------------------------------

int check_logs(const settings& how) {
  std::map<number, unsigned> runs;
  for (const auto& path : how.logs)
    for (auto x : all_numbers_in(path))
      ++runs[x];
  std::map<unsigned, number> by_times;
  for (const auto& [x, times] : runs)
    ++by_times[times];
  for (const auto& [times, tasks] : by_times)
    std::cout << tasks << " tasks began " << times << " times\n";
  return !runs.empty() && by_times.rbegin()->first <= how.times ? EXIT_SUCCESS
                                                                : EXIT_FAILURE;
}

int run_system(const settings& how,
               int (*body)(caf::actor_system&, const settings&)) {
  caf::actor_system_config config;
  libpool::set_up(config);
  port::wait_when_idle(config);
  caf::actor_system system{config};
  return body(system, how);
}

} // namespace

int main(int argc, char** argv) try {
  settings how;
  CLI::App app{"A distributed pool that is tormented"};
  app.require_subcommand(1);
  auto* pool = app.add_subcommand("pool", "serves a pool");
  auto* node = app.add_subcommand("node", "computes for the pool");
  auto* client = app.add_subcommand("ask", "asks the pool for squares");
  auto* check = app.add_subcommand("check", "reads the logs of nodes");
  for (auto* each : {pool, node, client})
    each->add_option("servers", how.servers, "addresses of servers")
      ->required()
      ->expected(-1);
  for (auto* each : {pool, client}) {
    each->add_option("--lease", how.lease, "in ms");
    each->add_flag("--lossless", how.lossless, "fails if a task is lost");
    each->add_flag("--durable", how.durable, "by a durable queue");
  }
  pool->add_option("--retries", how.retries, "of each task");
  pool->add_option("--durable-retries", how.durable_retries,
                   "after the loss of a front");
  pool->add_option("--standby", how.standby, "in ms");
  pool->add_option("--capacity", how.capacity, "of the pool, in bytes");
  client->add_option("--name", how.name, "of the client");
  client->add_option("--first", how.first, "number");
  client->add_option("--tasks", how.tasks, "so many, at most");
  client->add_option("--in-flight", how.in_flight, "so many at a time");
  client->add_option("--seconds", how.seconds, "for so long, at most");
  client->add_option("--log", how.log, "of numbers that were answered");
  client->add_option("--content", how.content, "bytes with each number");
  node->add_option("--work", how.work, "ms for each number");
  node->add_option("--log", how.log, "of numbers that begin")->required();
  check->add_option("logs", how.logs, "of nodes")->required();
  check->add_option("--times", how.times, "may a task begin")->required();
  CLI11_PARSE(app, argc, argv);
  if (*check)
    return check_logs(how);
  if (*client)
    return run_system(how, run_client);
  return run_system(how, *pool ? run_pool : run_node);
} catch (const std::exception& wrong) {
  std::cerr << "chaos: " << wrong.what() << '\n';
  return EXIT_FAILURE;
}
