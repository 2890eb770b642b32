/// How long requests take at most when a program of a distributed pool is
/// killed or stands still, or the NATS server is killed and started again. Two
/// fronts serve the pool in turn, two nodes compute, and a client keeps 16
/// requests open. The plain client sends requests again that were lost with a
/// front; what the durable client sends is kept by the NATS server.
///
/// The connections to the NATS server are encrypted if
/// LIBPOOL_BENCH_CERTIFICATES names a folder with certificates, see
/// bench::address_of.

#include "libpool/actors/error.hpp"
#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "port/sending.hpp"
#include "support/programs.hpp"

#include <CLI/CLI.hpp>

#include <caf/all.hpp>

#include <fmt/format.h>

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using bench::program;
using libpool::actor_pool;
using steady = std::chrono::steady_clock;

constexpr auto lease = 1s;
constexpr auto standby = 2s;
constexpr auto stillness = 4s; // of a program that is suspended
constexpr auto service = 5ms;
constexpr unsigned retries = 3;

// -- the other programs -------------------------------------------------------

int run_front(const std::string& port) {
  bench::networked config;
  caf::actor_system system{config};
  libpool::node_options nodes;
  nodes.lease = lease;
  libpool::managed_options options;
  options.on_crash = libpool::retry{retries};
  auto pool = actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
  libpool::serve_options serving;
  serving.standby = standby;
  serving.durable = libpool::durable_options{};
  serving.durable->redelivery = lease;
  serving.durable->retries = retries;
  serving.on_serving = [] { std::cout << "serves" << std::endl; };
  libpool::serve(pool, bench::address_of(port, "recovery"), serving);
  bench::await_end_of_input();
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

int run_agent(const std::string& port, const std::string& name) {
  bench::networked config;
  caf::actor_system system{config};
  libpool::join_options offer;
  offer.slots = 2;
  offer.name = name;
  auto worker = []() -> caf::behavior {
    return {[](int x) {
      std::this_thread::sleep_for(service);
      return x;
    }};
  };
  auto agent = libpool::join_pool(system, bench::address_of(port, "recovery"),
                                  offer, [&] { return system.spawn(worker); });
  bench::await_end_of_input();
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

// -- this one -----------------------------------------------------------------

/// What a client has seen since `reset`, in all threads.
class account {
public:
  void reset() {
    std::lock_guard guard{mutex_};
    longest_ = {};
    answers_ = errors_ = 0;
  }

  void answered(steady::duration took, bool is_error) {
    std::lock_guard guard{mutex_};
    longest_ = std::max(longest_, took);
    ++answers_;
    errors_ += is_error ? 1 : 0;
  }

  std::chrono::duration<double, std::milli> longest() const {
    std::lock_guard guard{mutex_};
    return longest_;
  }

  std::int64_t answers() const {
    std::lock_guard guard{mutex_};
    return answers_;
  }

  std::int64_t errors() const {
    std::lock_guard guard{mutex_};
    return errors_;
  }

private:
  mutable std::mutex mutex_;
  steady::duration longest_{};
  std::int64_t answers_ = 0;
  std::int64_t errors_ = 0;
};

/// Keeps 16 requests open.
class client final : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, caf::actor pool, std::shared_ptr<account> seen)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      seen_(std::move(seen)) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (auto i = 0; i < 16; ++i)
      ask();
    return {[](const caf::unit_t&) {}};
  }

private:
  void ask() {
    auto begun = steady::now();
    auto note = [this, begun](bool is_error) {
      seen_->answered(steady::now() - begun, is_error);
      ask();
    };
    port::request(this, pool_, caf::infinite, 1)
      .then([note](int) { note(false); },
            [note](const caf::error&) { note(true); });
  }

  const caf::actor pool_;
  const std::shared_ptr<account> seen_;
};

/// All programs. The first front serves, the second one waits.
class farm {
public:
  explicit farm(bool is_durable) : seen_(std::make_shared<account>()) {
    replace(fronts_[0], "front");
    fronts_[0]->await("serves");
    replace(fronts_[1], "front");
    replace(node_, "agent", "one");
    libpool::connect_options options;
    options.durable = is_durable;
    options.lease = lease;
    options.patience = 60s;
    options.queue.on_crash = libpool::retry{retries};
    pool_ = libpool::connect(system_, bench::address_of(port_, "recovery"),
                             options);
    client_ = system_.spawn<client>(pool_, seen_);
    await_answers();
  }

  ~farm() {
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  }

  farm(const farm&) = delete;
  farm& operator=(const farm&) = delete;

  void kill_node() {
    replace(node_, "agent", "one");
  }

  void suspend_node() {
    suspend(*node_);
  }

  void restart_server() {
    server_.kill();
    server_.start();
  }

  void kill_front() {
    fronts_[0]->kill();
    fronts_[1]->await("serves");
    std::swap(fronts_[0], fronts_[1]);
    replace(fronts_[1], "front");
  }

  /// The program that stood still ends its pool when it finds that the other
  /// one serves.
  void suspend_front() {
    suspend(*fronts_[0]);
    kill_front();
  }

  /// Returns the milliseconds of the request that took longest, of those that
  /// were answered while `fault` came and in the time after it.
  double longest(const std::function<void()>& fault) {
    await_answers();
    seen_->reset();
    fault();
    await_answers();
    errors_ += seen_->errors();
    return seen_->longest().count();
  }

  std::int64_t errors() const {
    return errors_;
  }

private:
  static void suspend(const program& target) {
    target.signal(SIGSTOP);
    std::this_thread::sleep_for(stillness);
    target.signal(SIGCONT);
  }

  template <class... Ts>
  void replace(std::unique_ptr<program>& place, const std::string& role,
               const Ts&... arguments) {
    if (place != nullptr)
      place->kill();
    place = std::make_unique<program>(role, port_, arguments...);
  }

  /// Waits for the answers of two leases, in which each request that was open
  /// before is answered, unless what it needs is missing.
  void await_answers() const {
    constexpr std::int64_t many = 400;
    auto before = seen_->answers();
    auto end = steady::now() + 2 * lease;
    while (steady::now() < end || seen_->answers() < before + many)
      std::this_thread::sleep_for(10ms);
  }

  const std::string port_ = bench::nats_server::port();
  bench::nats_server server_;
  bench::networked config_;
  caf::actor_system system_{config_};
  std::array<std::unique_ptr<program>, 2> fronts_;
  std::unique_ptr<program> node_;
  program other_node_{"agent", port_, "other"};
  const std::shared_ptr<account> seen_;
  caf::actor pool_;
  caf::actor client_;
  std::int64_t errors_ = 0;
};

struct fault {
  const char* name;
  void (farm::*happens)();
};

void measure(bool is_durable, unsigned rounds) {
  fmt::print("{}\n", is_durable ? "durable client" : "client");
  farm with{is_durable};
  auto nothing = with.longest([] { std::this_thread::sleep_for(stillness); });
  fmt::print("  {:<46}{:8.0f} ms\n", "nothing happens", nothing);
  for (const auto& each :
       {fault{"a node is killed, another one joins", &farm::kill_node},
        fault{"a node stands still for 4 s", &farm::suspend_node},
        fault{"the server is killed and started again", &farm::restart_server},
        fault{"the front is killed, another one serves", &farm::kill_front},
        fault{"the front stands still for 4 s", &farm::suspend_front}}) {
    std::vector<double> took;
    for (unsigned i = 0; i < rounds; ++i)
      took.push_back(with.longest([&] { (with.*each.happens)(); }));
    std::sort(took.begin(), took.end());
    fmt::print("  {:<46}{:8.0f} ms  ({:.0f} to {:.0f})\n", each.name,
               took[took.size() / 2], took.front(), took.back());
    std::cout.flush();
  }
  fmt::print("  {} requests were answered with an error\n\n", with.errors());
}

int run(int argc, char** argv) {
  CLI::App app{"How long requests take at most when programs of a distributed "
               "pool fail"};
  unsigned rounds = 3;
  app.add_option("--repetitions", rounds, "how often each fault happens")
    ->check(CLI::Range(1U, 100U));
  CLI11_PARSE(app, argc, argv);
  fmt::print("lease of nodes and clients 1 s, standby after 2 s, {} rounds: "
             "median (least to most)\n\n",
             rounds);
  for (auto is_durable : {false, true})
    measure(is_durable, rounds);
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  try {
    if (role == "front" && argc == 3)
      return run_front(argv[2]);
    if (role == "agent" && argc == 4)
      return run_agent(argv[2], argv[3]);
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
