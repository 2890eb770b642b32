#pragma once

#include "libpool/nodes/actors/task_result.hpp"
#include "queue_driver.hpp"
#include "records.hpp"
#include "scenario.hpp"
#include "support/probe.hpp"
#include "worker_registry.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>

namespace products {

/// The record of a managed pool, also when it is gone.
struct pool_record {
  caf::actor_addr address;
  std::size_t depth = 0;
  bool is_inner = false;      // another pool's worker
  bool is_in_line = false;    // a stage of a pipeline
  bool watches = false;       // each answer, and that there will be none
  bool retries = false;       // messages that crash their workers
  bool notices_waits = false; // of workers for the pool itself
  bool waits_when_empty = false;
  /// Number of workers that the pool should have in the end, if users change it
  /// only as `world` notes.
  std::size_t wanted = 0;
  /// Maximum number of its workers.
  std::size_t most_workers = 0;
  bool has_deadline = false;
  std::string policy;       // name of its recipe
  bool tells = true;        // its settled tasks
  bool is_recorded = false; // from the beginning
  /// The window of its workers, where these are no pools; empty if they have
  /// seats, or messages that are in no mailbox count as running with others.
  std::optional<std::size_t> window;
  /// How often each task was settled, by number, and how, all of them.
  std::map<std::uint64_t, unsigned> settled;
  std::map<libpool::outcome, std::uint64_t> ends;
  /// How many tasks have settled before they were accepted or had begun.
  std::uint64_t wrong_times = 0;
  /// The books at the last look.
  libpool::ledger books;
};

bool lives(const caf::actor_addr& each);

/// How many workers the pool has; 0 if it has ended.
std::size_t serving(const caf::actor_addr& pool);

/// How many messages its workers can handle at once; 0 if it has ended.
std::size_t slots(const caf::actor_addr& pool);

/// What looks at the pools have shown.
struct sights {
  /// Workers had more messages than their windows allow.
  bool window_was_exceeded = false;
  /// A pool had more workers than its options allow.
  bool size_was_exceeded = false;
  /// A counter of a pool was smaller than before.
  bool counters_fell = false;
  /// How many entries the clock had, at most.
  std::size_t most_alarms = 0;
};

/// One scenario: pools, their workers and clients, and its events. Equal seeds
/// make equal runs.
class world {
public:
  world(const scenario& how, std::uint64_t seed);

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// Sends messages, while events happen.
  void live();

  /// Lets so much time pass that all deadlines and pauses are over, while
  /// workers that skip or have promised something go on doing so.
  void wait();

  /// Lets workers end all that they have begun.
  void settle();

  /// Ends all actors.
  void end();

  /// Lets go of everything as it is.
  void abandon();

  // -- for events -------------------------------------------------------------

  std::size_t below(std::size_t n);
  bool chance(std::size_t one_in);

  /// A worker that lives, more often than not the first one; none if all died.
  caf::actor some_worker();

  /// A managed pool that lives, if there is one.
  caf::actor some_pool(bool is_inner = false);

  /// A pool that is a worker itself, to be ended. Once two have ended, a pool
  /// may have had no workers, and messages may fail that no worker has looked
  /// at.
  caf::actor inner_pool_to_end();

  /// One worker of the pool; none if it has none.
  caf::actor member_of(const caf::actor& pool);

  /// A node that lives; none if all have ended.
  caf::actor some_node();

  /// The actor that clients send to.
  const caf::actor& front() const {
    return front_;
  }

  /// The same; or the pool that takes messages from the durable queue.
  caf::actor outer_pool_to_end();

  /// Clients have no handle any more.
  void drop_front() {
    front_ = nullptr;
  }

  /// Sends on behalf of a client that is not interested in answers.
  template <class... Ts>
  void tell(const caf::actor& to, Ts&&... xs) {
    if (to)
      manager_.request(to, std::forward<Ts>(xs)...);
  }

  void kill_client();

  /// Waits until the pool is idle, on behalf of the same client.
  void await_idle(const caf::actor& pool);

  /// Has the pool resized to `n` workers.
  void resize(const caf::actor& pool, std::size_t n);

  /// Takes the worker out of the pool.
  void remove(const caf::actor& pool, const caf::actor& worker);

  /// Adds a worker to the pool that has all workers, where there is only one.
  void put_worker();

  /// Pauses the pool, or a part of it, until `resume` or the end of life.
  void pause(const caf::actor& pool, const libpool::pause_scope& which);

  /// Ends all pauses, and lifts limits that were changed.
  void resume();

  /// Replaces the limits of the pool until `resume`, if it knows flows.
  void limit(const caf::actor& pool, const libpool::throttles& within);

  /// Allows messages to fail from now on that no worker has looked at.
  void excuse() {
    is_excused_ = true;
  }

  /// Excuses that if an outermost pool may lose its last worker now, also if it
  /// gets others later.
  void excuse_if_last();

  // -- for laws ---------------------------------------------------------------

  const scenario& how() const {
    return how_;
  }

  const records& told() const {
    return *records_;
  }

  const std::vector<std::shared_ptr<pool_record>>& pools() const {
    return pools_;
  }

  bool is_excused() const {
    return is_excused_ || queue_.queue.last_front > 1;
  }

  const queue_driver& queue() const {
    return queue_;
  }

  /// Most entries that the clock needs, for pools and nodes and what they have.
  std::size_t most_alarms() const {
    auto of_nodes = nodes_.empty() ? 0 : nodes_.size() + 1;
    return 2 * (pools_.size() + of_nodes) + 1;
  }

  /// Number of messages that a node handles at once.
  std::size_t slots_of_nodes() const {
    return slots_of_nodes_;
  }

  /// Number of levels of pools.
  std::size_t depths() const {
    return depths_;
  }

  /// Whether the pool submits messages to the durable queue.
  bool is_client(const pool_record& pool) const {
    return pool.depth < first_depth_;
  }

  /// Whether workers have asked their own pools.
  bool asks_own_pools() const {
    return nested_ > 0;
  }

  const sights& seen() const {
    return seen_;
  }

  /// Whether each request to wait for an idle pool was answered once.
  bool has_told_idleness() const {
    return std::all_of(
      idle_waits_.begin(), idle_waits_.end(),
      [this](auto number) { return manager_.answer_to(number).count == 1; });
  }

  bool is_endless() const {
    return steps_left_ == 0;
  }

  bool client_lives(std::size_t client) const {
    return dead_clients_.count(client) == 0;
  }

  test::reply answer_to(const message_record& message) const {
    return message.asker ? message.answer
                         : clients_[message.client].answer_to(message.request);
  }

  /// Whether the client lives that has sent the message, or the worker.
  bool sender_lives(const message_record& message) const {
    return message.asker ? lives(workers_.all()[*message.asker])
                         : client_lives(message.client);
  }

  /// The managed pool that the worker was made for.
  const pool_record& home_of(std::size_t worker) const {
    return *homes_.at(worker);
  }

  /// Whether all pools that there were are in service.
  bool all_pools_serve() const;

  /// Whether the pool that clients send to lives, and every living pool has
  /// workers.
  bool front_serves() const;

  /// Pipelines that live, to look into their books.
  std::vector<caf::actor> lines() const;

  /// The actors that should be gone after `end`, and are not.
  std::vector<std::string> left_over();

  std::string text(const caf::error& why) {
    return libpool::render(why, crank_.system());
  }

  /// Returns the error that a result of the durable queue is; none if it is
  /// none.
  caf::error error_in(const std::string& result) {
    auto content = libpool::answer_of(crank_.system(), result);
    return content.match_elements<caf::error>() ? content.get_as<caf::error>(0)
                                                : caf::error{};
  }

private:
  // making
  caf::actor make_front();
  void serve_queue();
  caf::actor make_pools();
  caf::actor make_circle();
  caf::actor make_distributed();
  void add_node(const caf::actor& to);
  caf::actor make_managed(std::size_t depth, std::size_t n,
                          const std::function<caf::actor()>& factory);
  caf::actor make_direct(const std::function<caf::actor()>& factory,
                         libpool::policy how);
  caf::actor add_managed(caf::actor pool, std::shared_ptr<pool_record> record);
  caf::actor make_line(std::size_t depth, std::size_t credit);
  caf::actor add_line(caf::actor line);
  libpool::policy policy_at(std::size_t depth,
                            const std::shared_ptr<pool_record>& record,
                            const libpool::managed_options& given = {});
  libpool::policy gathering(const libpool::policy& over) const;
  bool takes_part(std::size_t feature, std::size_t depth) const;

  caf::actor add_worker(const std::shared_ptr<pool_record>& home);
  std::shared_ptr<pool_record> record_of(const caf::actor& pool) const;

  // living
  void send_work();
  message_record drawn_work();
  std::vector<nested_request> nested_requests(std::size_t worker, int message);
  void send_strange(strangeness kind);
  template <class... Ts>
  void send(message_record message, bool is_urgent, Ts&&... xs);
  void add_where_missing();
  void disturb_queue();
  void let_factories_give_up();

  void look_at_pools();
  void look_at(pool_record& record);
  void run_others();

  // cranking
  bool step();
  void run();
  void advance(std::chrono::nanoseconds time);
  void let_threads_end();

  const scenario how_;
  std::mt19937_64 draw_;
  queue_driver queue_;
  test::hand_cranked crank_;
  std::shared_ptr<records> records_ = std::make_shared<records>();
  worker_registry workers_;
  std::vector<test::probe> clients_;
  test::probe manager_;
  std::set<std::size_t> dead_clients_;
  std::size_t running_at_first_;
  std::size_t first_depth_; // of pools that have workers
  std::size_t depths_ = 1;
  std::uint64_t places_ = 0; // where features take part, drawn
  std::vector<std::shared_ptr<pool_record>> pools_;
  std::vector<std::shared_ptr<pool_record>> homes_; // of workers, by number
  std::size_t nested_ = 0; // requests of workers to their own pools
  /// A part of a pool that is paused, without references to actors.
  struct paused_part {
    caf::actor_addr pool;
    std::optional<std::string> flow;
    caf::actor_addr worker;
    std::string node;
  };
  std::vector<paused_part> paused_;
  std::vector<std::uint64_t> idle_waits_; // requests of the manager
  std::vector<caf::actor_addr> limited_;  // pools with other limits for a time
  std::vector<caf::actor_addr> others_;   // pools of other kinds, and pipelines
  std::vector<caf::actor_addr> lines_;
  std::vector<caf::actor_addr> nodes_;
  /// Kept as long as the front is there. The last one takes messages from the
  /// durable queue.
  std::vector<caf::actor> kept_;
  caf::actor front_;
  caf::actor_addr submitter_; // the worker of the pool that clients send to
  bool is_excused_ = false;
  std::size_t inner_ends_ = 0; // inner pools that were told to end
  static constexpr std::size_t most_steps = 100'000;
  static constexpr std::chrono::milliseconds longest_step{100'000};
  std::size_t steps_left_ = most_steps;
  sights seen_;
  const std::size_t slots_of_nodes_;
  const bool looks_at_pools_;
  int stuck_ = 0; // handlers that let others run
};

} // namespace products
