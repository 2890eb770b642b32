/// What a distributed pool costs, against plain requests to actors of the other
/// program: both by TCP on this machine, without TLS, to the same program,
/// which has two workers. Then the processor time of both programs for a
/// request; and how well two nodes share tasks that take time.

#include "libpool/remote/gate.hpp"
#include "libpool/remote/join_pool.hpp"
#include "libpool/remote/network.hpp"
#include "support/client.hpp"
#include "support/comparison.hpp"

#include <boost/process.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace process = boost::process;
using libpool::actor_pool;

constexpr auto workers = 2;
constexpr auto token = "bench";

caf::behavior echo() {
  return {[](int x) { return x; },
          [](const std::string& x) { return static_cast<int>(x.size()); }};
}

struct networked : caf::actor_system_config {
  networked() {
    libpool::set_up(*this);
    libpool::load_network(*this);
  }
};

// -- the other program --------------------------------------------------------

/// Publishes its workers one by one, and says where; joins the pool behind the
/// port; ends with its input.
int serve(std::uint16_t pool) {
  networked config;
  caf::actor_system system{config};
  std::vector<caf::actor> echoes;
  for (auto i = 0; i < workers; ++i) {
    echoes.push_back(system.spawn(echo));
    auto port = system.middleman().publish(echoes.back(), 0, "127.0.0.1");
    if (!port)
      return EXIT_FAILURE;
    std::cout << *port << std::endl;
  }
  libpool::join_options offer;
  offer.slots = workers;
  offer.token = token;
  libpool::connect_options how;
  how.insecure_loopback = true;
  auto agent = libpool::join_pool(
    system, {"127.0.0.1", pool}, offer,
    [&system] { return system.spawn(echo); }, how);
  std::string line;
  std::getline(std::cin, line);
  for (auto& each : echoes)
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

/// Joins the pool behind the port as a node of that name, which does one task
/// at a time: each takes so many microseconds, and no processor.
int serve_slowly(std::uint16_t pool, const std::string& name, int time) {
  networked config;
  caf::actor_system system{config};
  libpool::join_options offer;
  offer.slots = 1;
  offer.token = token;
  offer.name = name;
  libpool::connect_options how;
  how.insecure_loopback = true;
  auto worker = [time]() -> caf::behavior {
    return {[time](int x) {
      std::this_thread::sleep_for(std::chrono::microseconds{time});
      return x;
    }};
  };
  auto agent = libpool::join_pool(
    system, {"127.0.0.1", pool}, offer,
    [&system, worker] { return system.spawn(worker); }, how);
  std::string line;
  std::getline(std::cin, line);
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

// -- this one -----------------------------------------------------------------

/// A pool that nodes may join, and where.
class open_pool {
public:
  open_pool(caf::actor_system& system, libpool::node_options nodes,
            const libpool::policy& over)
    : pool_(actor_pool::make(
      system, actor_pool::distributed(with_token(std::move(nodes)), over))) {
    libpool::gate_options where;
    where.insecure_loopback = true;
    auto opened = libpool::gate::for_agents(system, pool_, where);
    if (!opened)
      throw std::runtime_error(libpool::render(opened.error(), system));
    gate_.emplace(std::move(*opened));
  }

  ~open_pool() {
    gate_.reset();
    caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  }

  open_pool(const open_pool&) = delete;
  open_pool& operator=(const open_pool&) = delete;

  const caf::actor& handle() const {
    return pool_;
  }

  std::string port() const {
    return std::to_string(gate_->port());
  }

private:
  static libpool::node_options with_token(libpool::node_options nodes) {
    nodes.token = token;
    return nodes;
  }

  caf::actor pool_;
  std::optional<libpool::gate> gate_;
};

/// The other program, and both ways to it.
struct farm {
  farm() {
    other = process::child{"/proc/self/exe", "serve", opened.port(),
                           process::std_out > said, process::std_in < told};
    for (auto i = 0; i < workers; ++i) {
      std::uint16_t port = 0;
      said >> port;
      auto found = system.middleman().remote_actor("127.0.0.1", port);
      if (!found)
        throw std::runtime_error("the other program cannot be reached");
      plain.push_back(*found);
    }
  }

  ~farm() {
    told << std::endl;
    other.wait();
  }

  farm(const farm&) = delete;
  farm& operator=(const farm&) = delete;

  networked config;
  caf::actor_system system{config};
  open_pool opened{system, {}, actor_pool::shared_queue()};
  const caf::actor& pool = opened.handle();
  process::opstream told;
  process::ipstream said;
  process::child other;
  bench::actors plain;
};

bench::question ask(farm& at, const std::string& name, std::int64_t outstanding,
                    std::size_t bytes) {
  auto contender = [&](bench::actors targets) {
    return bench::calling(
      at.system, {std::move(targets), 1, outstanding, std::string(bytes, 'x')});
  };
  return {name,
          1,
          {{"plain", contender(at.plain)}, {"libpool", contender({at.pool})}}};
}

// -- processor time -----------------------------------------------------------

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec)
         + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Of this program and the other one.
double seconds_of_both(const farm& at) {
  clockid_t other = 0;
  clock_getcpuclockid(at.other.id(), &other);
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds_of(other);
}

/// Prints the medians of the processor time of a request, in turns.
void count_time(farm& at, const std::string& name, std::int64_t outstanding,
                std::size_t bytes, std::int64_t count) {
  constexpr auto rounds = 7;
  std::array<std::vector<double>, 2> ways;
  for (auto round = 0; round < rounds; ++round)
    for (std::size_t way : {0U, 1U}) {
      auto before = seconds_of_both(at);
      bench::call(at.system,
                  {way == 0 ? at.plain : bench::actors{at.pool}, 1, outstanding,
                   std::string(bytes, 'x')},
                  count);
      ways[way].push_back(1e6 * (seconds_of_both(at) - before)
                          / static_cast<double>(count));
    }
  for (auto& each : ways)
    std::sort(each.begin(), each.end());
  auto plain = ways[0][rounds / 2];
  auto ours = ways[1][rounds / 2];
  fmt::print("  {:<34}plain {:8.2f}  libpool {:8.2f}  x{:.2f}  "
             "(x{:.2f} to x{:.2f})\n",
             name, plain, ours, ours / plain, ways[1][1] / ways[0][rounds - 2],
             ways[1][rounds - 2] / ways[0][1]);
}

// -- nodes that share ---------------------------------------------------------

/// A node that takes its time, as another program.
class slow_node {
public:
  slow_node(const open_pool& of, const std::string& name, int microseconds)
    : program_("/proc/self/exe", "serve-slowly", of.port(), name,
               std::to_string(microseconds), process::std_in < told_) {
    // nop
  }

  ~slow_node() {
    told_ << std::endl;
    program_.wait();
  }

  slow_node(const slow_node&) = delete;
  slow_node& operator=(const slow_node&) = delete;

private:
  process::opstream told_;
  process::child program_;
};

void await_nodes(const open_pool& pool, std::size_t count) {
  while (libpool::nodes_of(pool.handle()).nodes.size() < count)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

/// How long so many tasks take, all of them asked for at once, in milliseconds.
double makespan(caf::actor_system& system, const open_pool& pool,
                std::int64_t tasks) {
  auto begin = std::chrono::steady_clock::now();
  bench::call(system, {{pool.handle()}, 1, tasks, ""}, tasks);
  std::chrono::duration<double, std::milli> took =
    std::chrono::steady_clock::now() - begin;
  return took.count();
}

/// All tasks are at home at one of two nodes.
void share_from_one_home() {
  networked config;
  caf::actor_system system{config};
  libpool::node_options nodes;
  nodes.wants_of = [](const libpool::message_content&) {
    libpool::node_wants result;
    result.home = "one";
    return result;
  };
  open_pool pool{system, std::move(nodes), actor_pool::work_stealing({})};
  slow_node one{pool, "one", 5000};
  slow_node two{pool, "two", 5000};
  await_nodes(pool, 2);
  fmt::print("  400 tasks of 5 ms, all at home at one of two nodes: x{:.2f} of "
             "the ideal\n",
             makespan(system, pool, 400) / 1000);
}

void share_with_another() {
  networked config;
  caf::actor_system system{config};
  open_pool pool{system, {}, actor_pool::shared_queue()};
  slow_node one{pool, "one", 1000};
  await_nodes(pool, 1);
  makespan(system, pool, 200);
  auto alone = makespan(system, pool, 1000);
  slow_node two{pool, "two", 1000};
  await_nodes(pool, 2);
  makespan(system, pool, 200);
  fmt::print("  1000 tasks of 1 ms: two nodes do x{:.2f} of one\n",
             alone / makespan(system, pool, 1000));
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string{argv[1]} == "serve")
    return serve(static_cast<std::uint16_t>(std::atoi(argv[2])));
  if (argc == 5 && std::string{argv[1]} == "serve-slowly")
    return serve_slowly(static_cast<std::uint16_t>(std::atoi(argv[2])), argv[3],
                        std::atoi(argv[4]));
  farm both;
  auto status =
    bench::compare(argc, argv,
                   {ask(both, "one tiny request at a time", 1, 0),
                    ask(both, "1000 tiny requests at a time", 1000, 0),
                    ask(both, "1000 requests of 1 KiB at a time", 1000, 1024),
                    ask(both, "16 requests of 64 KiB at a time", 16, 65536)});
  if (status != EXIT_SUCCESS)
    return status;
  fmt::print("\nprocessor time of both programs, us a request, medians of 7\n");
  count_time(both, "one tiny request at a time", 1, 0, 2000);
  count_time(both, "1000 tiny requests at a time", 1000, 0, 20'000);
  count_time(both, "1000 requests of 1 KiB at a time", 1000, 1024, 20'000);
  count_time(both, "16 requests of 64 KiB at a time", 16, 65536, 2000);
  fmt::print("\nnodes that share\n");
  share_from_one_home();
  share_with_another();
}
