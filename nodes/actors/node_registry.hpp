#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/caf/waker.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/actors/node_stats.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/actors/batch_part.hpp"
#include "libpool/nodes/protocol/backoff.hpp"
#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"
#include "libpool/nodes/protocol/held_by_nodes.hpp"
#include "libpool/nodes/protocol/local_lines.hpp"
#include "libpool/nodes/protocol/node_connections.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"
#include "libpool/nodes/protocol/transport.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

struct managed_setup;
struct proxy_calls;
struct task_facts;

/// Sets whether messages wait while the pool has no workers. If `wait` is
/// false, the pool refuses them.
using waiting_switch = void (*)(caf::abstract_actor& pool, bool wait);

/// Node registry: the actor of a pool at which nodes join. It exchanges message
/// batches with nodes, makes a node proxy, which is a worker of the pool, for
/// each node that serves, and keeps the tasks of the proxies until the tasks
/// are settled.
///
/// A `node_connections` object decides which message batches are sent, and
/// when. The registry keeps contents, clients and connections.
///
/// Errors: a node with another version of the protocol is rejected. Batches
///         that cannot be read, or come from a node that has not introduced
///         itself, count in `strays` and have no effect.
class node_registry final : public delivering<node_registry, serial_actor> {
public:
  /// Makes the registry of `pool`, which ends with the pool. See
  /// `make_node_registry`.
  node_registry(caf::actor_config& cfg, const caf::actor& pool,
                const managed_setup& setup, waiting_switch keep_waiting);

  ~node_registry() override;

  /// Sends a task of the pool, as a tracked element, to the node of the
  /// session.
  void submit(worker_number session, caf::mailbox_element_ptr element,
              execution_context* host);

  /// Calls `fact` with the connections and the present time, in the order of
  /// facts.
  void note(std::function<void(node_connections&, instant now)> fact,
            execution_context* host);

  /// Has `queue` know the nodes before they get messages, until the queue ends.
  ///
  /// Errors: std::invalid_argument if another queue has not ended.
  void use_queue(const std::shared_ptr<work_queue>& queue);

  /// Receives the runs of the nodes that serve, in the thread of the registry.
  using nodes_receiver = std::function<void(
    const std::vector<std::uint64_t>& serving, execution_context* host)>;

  /// Has the node that has begun a message of the durable queue for an earlier
  /// front answer the request `element`. If the node cannot, answers with
  /// `errc::front_lost`, as the registry. Waits a lease after the start of the
  /// registry for such a node, and at most a lease for a sign of life of each
  /// node. Then it calls `none` instead, with the nodes that serve this front
  /// since the call, and have not begun the message. The content of `element`
  /// is ignored. `takings` are the numbers of the message at the earlier
  /// fronts.
  void adopt(std::vector<std::uint64_t> takings,
             caf::mailbox_element_ptr element, nodes_receiver none,
             execution_context* host);

  /// Notes that the result of a message of the durable queue is stored: nodes
  /// need not keep it. `takings` are all numbers of the message.
  void settled(const std::vector<std::uint64_t>& takings,
               execution_context* host);

  nodes_stats stats();

  /// Opens a transport by which nodes of other processes join, until the
  /// registry ends. Exceptions of `open` are passed on.
  void serve(const transport_opener& open, std::optional<std::uint64_t> turn);

  /// Opens the line between a node in this process and the pool.
  std::shared_ptr<transport> connect(std::shared_ptr<transport_user> node);

  // -- called by transports ---------------------------------------------------

  /// Number of a transport, from 0, in the order of opening. Transport 0 is for
  /// nodes in this process.
  using line_number = std::size_t;

  void heard(line_number number, const std::string& source,
             received_bytes message);

  /// Notes that a transport is down, and why; it is up if `why` is empty.
  void line_changed(line_number number, std::string why);

  const char* name() const override {
    return "libpool::node_registry";
  }

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  void time_is_up(execution_context* host) override;

protected:
  void received(caf::mailbox_element_ptr element,
                execution_context* host) override;

  void handled_all(execution_context* host) override;

private:
  using host_ptr = execution_context*;

  /// A task from the pool that has not been settled.
  struct open_task {
    caf::strong_actor_ptr proxy;
    caf::mailbox_element_ptr element;
    std::shared_ptr<const std::string> bytes; // until they are sent
    std::uint64_t taking = 0; // of a message of the durable queue; 0: none
    std::shared_ptr<const task_facts> facts = nullptr; // if known
  };

  /// A message of the durable queue that waits for a node that has begun it.
  struct orphan {
    std::vector<std::uint64_t> takings;
    caf::mailbox_element_ptr element;
    nodes_receiver none;
    std::uint64_t question = 0; // of `node_sessions`
    instant until{};            // by when nodes have answered
  };

  using orphan_list = std::list<orphan>;

  /// A node, by the number of its transport and its name there.
  using peer = std::pair<line_number, std::string>;

  struct line {
    std::shared_ptr<transport> way; // nullptr until it is open
    std::string problem;            // empty while it is up
    std::uint64_t epoch = 0;
    bool keeps_nodes = false; // for the next program, at the end of the pool
  };

  /// A node that has introduced itself.
  struct connection {
    peer with;
    introduction who;
    session_stream<std::string> stream;
  };

  void act(command call, host_ptr host);
  void forget_silent_peers();
  void end(host_ptr host);
  void leave_nodes_to_next();

  // -- connections, in node_registry_connections.cpp --------------------------

  void take_batch(const peer& remote, const received_bytes& message);
  bool let_in(const peer& remote, const introduction& who);
  bool has_session(const connection& with) const;
  bool note_mark(connection& with, const envelope& head,
                 const batch_to_pool& batch);
  void say(const peer& remote, const stream_mark& mark, std::string& batch);
  void send(connection& entry, const batch_to_node& batch);

  // -- the durable queue, in node_registry_adoption.cpp -----------------------

  void note_held(worker_number session, const introduction& who);
  void note_joined(worker_number session, host_ptr host);
  void put(worker_number session, host_ptr host);
  void note_left(worker_number session);
  bool try_to_adopt(orphan_list::iterator entry, host_ptr host);
  void give_orphans_up(host_ptr host);
  std::vector<std::uint64_t> present_since(std::uint64_t question) const;
  instant next_orphan() const;
  void let_down(caf::mailbox_element_ptr element, host_ptr host);
  void name_takings(worker_number session, tasks_sent& batch);

  // -- decisions of node_connections ------------------------------------------

  void carry_out(host_ptr host);
  void carry_out(const node_connections::deliver& next, host_ptr host);
  void carry_out(const node_connections::admit& next, host_ptr host);
  proxy_calls calls_for(worker_number session);
  void carry_out(const node_connections::resize& next, host_ptr host);
  void carry_out(const node_connections::dismiss& next, host_ptr host);
  void carry_out(const node_connections::release& next, host_ptr host);
  void carry_out(const node_connections::start& next, host_ptr host);

  // -- tasks, in node_registry_tasks.cpp --------------------------------------

  void take(worker_number session, caf::mailbox_element_ptr element);
  std::vector<std::shared_ptr<const std::string>>
  contents_of(const batch_to_node& batch);
  std::size_t most_bytes() const;
  std::size_t most_bytes_of(line_number number) const;

  /// Whether nodes are told what the pool knows of tasks, and are asked when
  /// handlers begin. The messages of a client's pool are for another pool.
  bool exchanges_facts() const noexcept {
    return !patience_;
  }

  void add_facts(tasks_sent& batch, std::size_t most) const;
  void note_results(const received_bytes& bytes, const read_by_pool& batch);
  void complete(task_number task, open_task& ended, host_ptr host);
  void lose(open_task& task, host_ptr host);
  static void fail(open_task& ended, errc why, std::string words,
                   host_ptr host);
  static void give_back(open_task& ended, errc why = errc::not_needed,
                        std::string words = {});
  void set_waker();
  void note_fronts();
  void wait_for_fronts(bool wait);

  instant now() const;
  nodes_stats collect_stats() const;

  const caf::actor_addr pool_;
  const node_options options_;
  const bool retries_; // whether the pool retries tasks
  const std::optional<duration> patience_;
  const waiting_switch keep_waiting_; // with `patience_`
  backoff pauses_;                    // between calls
  instant next_call_ = never;         // of a client without a front
  instant out_of_patience_ = never;   // of a client without a front
  node_connections end_;
  waker waker_{*this};
  bool has_ended_ = false;
  std::uint64_t batches_ = 0;
  std::uint64_t strays_ = 0; // without those of `end_`
  std::uint64_t turned_away_ = 0;
  std::uint64_t joined_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t resumed_ = 0;
  std::uint64_t last_connection_ = 0;
  task_number next_task_;
  std::shared_ptr<local_lines> local_;
  std::vector<line> lines_;
  std::map<connection_number, connection> connections_;
  std::map<peer, connection_number> by_peer_;
  std::map<worker_number, caf::actor> proxies_;
  std::unordered_map<std::uint64_t, open_task> tasks_;
  std::unordered_map<std::uint64_t, batch_part> results_; // of this round
  // The durable queue: messages are known by the numbers of their takings.
  bool has_queue_ = false;
  std::weak_ptr<work_queue> queue_;
  std::map<worker_number, std::uint64_t> runs_; // of the nodes' programs
  orphan_list orphans_;    // ask for a node that has begun them
  instant adopts_until_{}; // by when nodes of an earlier front have joined
  held_by_nodes held_;
  // reasons in `unread` messages of this round
  std::unordered_map<std::uint64_t, std::string> unread_;
};

/// Makes the node registry of a pool with the options `setup`, among which are
/// node options. If `how.patience` is set, the pool is the client of pools in
/// other programs, and these pools are its nodes. The registry calls them.
/// After this time without such a pool, messages no longer wait.
caf::actor make_node_registry(const caf::actor& pool,
                              const managed_setup& setup,
                              waiting_switch keep_waiting);

} // namespace libpool
