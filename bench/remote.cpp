/// What a distributed pool costs whose front, agents and clients are programs
/// of their own: against bare requests through the same NATS server, and
/// against plain requests by CAF's middleman, without TLS, to actors of another
/// program, and against the durable queue of the same pool. Then the processor
/// time of the front for a request, and how well two nodes share tasks that
/// take time.
///
/// The connections to the NATS server are encrypted if
/// LIBPOOL_BENCH_CERTIFICATES names a folder with certificates, see
/// bench::address_of.

#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/programs.hpp"

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <fmt/format.h>
#include <nats/nats.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using bench::await_end_of_input;
using bench::connect_bare;
using bench::nats_server;
using bench::networked;
using bench::program;
using bench::require;
using libpool::actor_pool;

constexpr auto workers = 2;

caf::behavior echo() {
  return {[](int x) { return x; },
          [](const std::string& x) { return static_cast<int>(x.size()); }};
}

/// Answers each request with four bytes.
void answer_bare(natsConnection* by, natsSubscription*, natsMsg* message,
                 void*) {
  natsConnection_Publish(by, natsMsg_GetReply(message), "done", 4);
  natsMsg_Destroy(message);
}

/// Makes requests through NATS, so many at a time.
class bare_client {
public:
  bare_client(const std::string& port, bool at_once)
    : by_(connect_bare(port, at_once)),
      place_(at_once ? "at_once" : "together") {
    require(natsConnection_Subscribe(
      &inbox_, by_, ("bare.inbox." + place_).c_str(), returned, this));
  }

  void call(std::int64_t count, std::int64_t outstanding,
            const std::string& payload) {
    left_ = count - std::min(count, outstanding);
    open_ = std::min(count, outstanding);
    payload_ = payload.empty() ? "1234" : payload;
    for (auto i = open_.load(); i > 0; --i)
      ask();
    std::unique_lock guard{mutex_};
    done_.wait(guard, [this] { return open_ == 0; });
  }

private:
  static void returned(natsConnection*, natsSubscription*, natsMsg* message,
                       void* self) {
    natsMsg_Destroy(message);
    static_cast<bare_client*>(self)->next();
  }

  void next() {
    if (left_ > 0) {
      --left_;
      return ask();
    }
    std::lock_guard guard{mutex_};
    if (--open_ == 0)
      done_.notify_all();
  }

  void ask() {
    natsConnection_PublishRequest(
      by_, ("bare.echo." + place_).c_str(), ("bare.inbox." + place_).c_str(),
      payload_.data(), static_cast<int>(payload_.size()));
  }

  natsConnection* by_;
  const std::string place_;
  natsSubscription* inbox_ = nullptr;
  std::string payload_;
  std::atomic<std::int64_t> left_{0};
  std::atomic<std::int64_t> open_{0};
  std::mutex mutex_;
  std::condition_variable done_;
};

// -- the other programs -------------------------------------------------------

/// Publishes its workers one by one, and says where; answers bare requests.
int run_echoes(const std::string& port) {
  networked config;
  caf::actor_system system{config};
  std::vector<caf::actor> echoes;
  for (auto i = 0; i < workers; ++i) {
    echoes.push_back(system.spawn(echo));
    auto opened = system.middleman().publish(echoes.back(), 0, "127.0.0.1");
    if (!opened)
      return EXIT_FAILURE;
    std::cout << *opened << std::endl;
  }
  for (auto at_once : {false, true}) {
    natsSubscription* bare = nullptr;
    auto* by = connect_bare(port, at_once);
    require(natsConnection_Subscribe(
      &bare, by, at_once ? "bare.echo.at_once" : "bare.echo.together",
      answer_bare, nullptr));
    require(natsConnection_Flush(by));
  }
  std::cout << 0 << std::endl;
  await_end_of_input();
  for (auto& each : echoes)
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

int run_front(const std::string& port) {
  networked config;
  caf::actor_system system{config};
  auto pool = actor_pool::make(
    system, actor_pool::distributed({}, actor_pool::shared_queue()));
  libpool::serve_options options;
  options.durable = libpool::durable_options{};
  options.durable->window = 1024;
  libpool::serve(pool, bench::address_of(port, "bench"), options);
  await_end_of_input();
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

/// Joins the pool as a node of that name. Each number takes so many
/// microseconds, and no processor.
int run_agent(const std::string& port, const std::string& pool,
              const std::string& name, int slots, int time) {
  networked config;
  caf::actor_system system{config};
  libpool::join_options offer;
  offer.slots = static_cast<std::size_t>(slots);
  offer.name = name;
  auto worker = [time]() -> caf::behavior {
    if (time == 0)
      return echo();
    return {[time](int x) {
      std::this_thread::sleep_for(std::chrono::microseconds{time});
      return x;
    }};
  };
  auto agent = libpool::join_pool(system, bench::address_of(port, pool), offer,
                                  [&] { return system.spawn(worker); });
  await_end_of_input();
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

// -- this one -----------------------------------------------------------------

/// All programs, and the four ways to them.
struct farm {
  explicit farm(int agents) {
    for (auto i = 0; i < workers; ++i) {
      auto found = system.middleman().remote_actor("127.0.0.1",
                                                   echoes.next_number());
      if (!found)
        throw std::runtime_error("the other program cannot be reached");
      plain.push_back(*found);
    }
    echoes.next_number();
    for (auto i = 0; i < agents; ++i)
      nodes.push_back(std::make_unique<program>("agent", port, "bench",
                                                "agent-" + std::to_string(i),
                                                agents <= 2 ? "1" : "2", "0"));
    pool = libpool::connect(system, bench::address_of(port, "bench"));
    libpool::connect_options options;
    options.durable = true;
    durable = libpool::connect(system, bench::address_of(port, "bench"),
                               options);
    for (const auto& each : {pool, durable}) // all have met
      bench::call(system, {{each}, 1, 1000, ""}, 1000);
  }

  const std::string port = nats_server::port();
  networked config;
  caf::actor_system system{config};
  program echoes{"echoes", port};
  program front{"front", port};
  std::vector<std::unique_ptr<program>> nodes;
  bench::actors plain;
  caf::actor pool;
  caf::actor durable;
  bare_client bare_at_once{port, true};
  bare_client bare_together{port, false};
};

bench::question ask(farm& with, const std::string& name,
                    std::int64_t outstanding, std::size_t bytes) {
  const std::string payload(bytes, 'x');
  auto contender = [&](bench::actors targets) {
    return bench::calling(with.system,
                          {std::move(targets), 1, outstanding, payload});
  };
  auto bare = [&with, outstanding, payload](benchmark::State& state) {
    constexpr std::int64_t batch = 2000;
    while (state.KeepRunningBatch(batch))
      (outstanding == 1 ? with.bare_at_once : with.bare_together)
        .call(batch, outstanding, payload);
  };
  return {name,
          1,
          {{"NATS", bare},
           {"CAF", contender(with.plain)},
           {"libpool", contender({with.pool})},
           {"libpool, durable", contender({with.durable})}}};
}

/// Prints the median of the front's processor time for a request.
void count_time(farm& with, const std::string& name, std::int64_t outstanding,
                std::size_t bytes, std::int64_t count) {
  constexpr std::size_t rounds = 7;
  std::vector<double> each;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto before = with.front.seconds();
    bench::call(with.system,
                {{with.pool}, 1, outstanding, std::string(bytes, 'x')}, count);
    each.push_back(1e6 * (with.front.seconds() - before)
                   / static_cast<double>(count));
  }
  std::sort(each.begin(), each.end());
  fmt::print("  {:<34}{:8.2f} us  ({:.2f} to {:.2f})\n", name, each[rounds / 2],
             each[1], each[rounds - 2]);
}

/// How long so many tasks take on slow nodes, all asked for at once.
class sharing {
public:
  explicit sharing(libpool::node_options nodes, const libpool::policy& over)
    : pool_(actor_pool::make(system_,
                             actor_pool::distributed(std::move(nodes), over))) {
    libpool::serve(pool_, bench::address_of(port_, "slow"));
  }

  ~sharing() {
    caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  }

  sharing(const sharing&) = delete;
  sharing& operator=(const sharing&) = delete;

  void join(const std::string& name, int microseconds) {
    nodes_.push_back(std::make_unique<program>(
      "agent", port_, "slow", name, "1", std::to_string(microseconds)));
    while (libpool::nodes_of(pool_).nodes.size() < nodes_.size())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

  double milliseconds_for(std::int64_t tasks) {
    auto begin = std::chrono::steady_clock::now();
    bench::call(system_, {{pool_}, 1, tasks, ""}, tasks);
    std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - begin;
    return took.count();
  }

private:
  const std::string port_ = nats_server::port();
  networked config_;
  caf::actor_system system_{config_};
  caf::actor pool_;
  std::vector<std::unique_ptr<program>> nodes_;
};

/// All tasks are at home at one of two nodes.
void share_from_one_home() {
  libpool::node_options nodes;
  nodes.wants_of = [](const libpool::message_content&) {
    libpool::node_wants result;
    result.home = "one";
    return result;
  };
  sharing with{std::move(nodes), actor_pool::work_stealing({})};
  with.join("one", 5000);
  with.join("two", 5000);
  fmt::print("  400 tasks of 5 ms, all at home at one of two nodes: x{:.2f} of "
             "the ideal\n",
             with.milliseconds_for(400) / 1000);
}

void share_with_another() {
  sharing with{{}, actor_pool::shared_queue()};
  with.join("one", 1000);
  with.milliseconds_for(200);
  auto alone = with.milliseconds_for(1000);
  with.join("two", 1000);
  with.milliseconds_for(200);
  fmt::print("  1000 tasks of 1 ms: two nodes do x{:.2f} of one\n",
             alone / with.milliseconds_for(1000));
}

std::vector<int> bench_agents() {
  const auto* only = std::getenv("LIBPOOL_BENCH_AGENTS");
  return only != nullptr ? std::vector<int>{std::atoi(only)}
                         : std::vector<int>{2, 10, 50};
}

int measure(int argc, char** argv) {
  bench::compare(argc, argv, {}); // reads the options before anything starts
  nats_server server;
  for (auto agents : bench_agents()) {
    farm with{agents};
    fmt::print("\n{} agents\n", agents);
    std::vector<bench::question> all{
      ask(with, "one tiny request at a time", 1, 0),
      ask(with, "1000 tiny requests at a time", 1000, 0)};
    if (agents == 2) {
      all.push_back(ask(with, "1000 requests of 1 KiB at a time", 1000, 1024));
      all.push_back(ask(with, "16 requests of 64 KiB at a time", 16, 65536));
    }
    if (auto status = bench::compare(argc, argv, all); status != EXIT_SUCCESS)
      return status;
    fmt::print("\nprocessor time of the front for a request, medians of 7\n");
    count_time(with, "one tiny request at a time", 1, 0, 2000);
    count_time(with, "1000 tiny requests at a time", 1000, 0, 20'000);
    if (agents == 2)
      count_time(with, "16 requests of 64 KiB at a time", 16, 65536, 2000);
  }
  fmt::print("\nnodes that share\n");
  share_from_one_home();
  share_with_another();
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  try {
    if (role == "echoes" && argc == 3)
      return run_echoes(argv[2]);
    if (role == "front" && argc == 3)
      return run_front(argv[2]);
    if (role == "agent" && argc == 7)
      return run_agent(argv[2], argv[3], argv[4], std::atoi(argv[5]),
                       std::atoi(argv[6]));
    return measure(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
