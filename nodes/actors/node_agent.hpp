#pragma once

#include "libpool/actors/caf/client_requests.hpp"
#include "libpool/actors/caf/free_list.hpp"
#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/caf/waker.hpp"
#include "libpool/actors/join_options.hpp"
#include "libpool/core/ending.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/actors/batch_part.hpp"
#include "libpool/nodes/protocol/agent_connection.hpp"
#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"
#include "libpool/nodes/protocol/epochs.hpp"
#include "libpool/nodes/protocol/held_tasks.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

/// Parameters of the agent of a node.
struct node_setup {
  transport_opener open;
  std::function<instant()> now;
  incarnation run{};
  node_offer offer;
  introduction who;
  /// Whether the pool to join is a client of the local pool. Then the local
  /// pool outlives the agent, errors of the local pool are answers, and a
  /// client that is silent for two leases is given up.
  bool is_for_client = false;
};

/// A message batch from the pool, as read from its bytes.
struct batch_to_agent {
  std::shared_ptr<const void> owner;
  envelope head;
  read_by_node read; // its contents are kept alive by `owner`
};

/// The agent of a node, see `join_pool`. It connects an `agent_connection` with
/// the pool through a transport, and with a local pool.
///
/// The local pool of a node is an inner pool, and the agent is its outer pool.
/// Each task is a request, whose unique number identifies the task of the
/// answer. The agent of a client only sends requests: the local pool answers
/// them as it answers any client.
///
/// The agent keeps a reference to itself until it ends, and all elements have
/// come back.
class node_agent final : public delivering<node_agent, serial_actor>,
                         public element_owner {
public:
  node_agent(caf::actor_config& cfg, caf::actor local_pool, node_setup setup);

  /// Watches the local pool and the system, and opens the transport.
  /// @pre no other thread knows the agent
  void begin();

  agent_state state();

  // -- called by the transport ------------------------------------------------

  /// Handles a message batch; `batch` is nullptr if the bytes cannot be read.
  void batch_came(std::shared_ptr<batch_to_agent> batch);
  void line_came_up();
  void line_went_down(const std::string& why);
  void pool_has_ended();

  // -- called by the local pool -----------------------------------------------

  void ended(tracked_element& carrier,
             execution_context* host) noexcept override;

  void began_inside(const std::shared_ptr<passage>& sent, instant began,
                    execution_context* host) override;

  void settled_inside(const std::shared_ptr<passage>& sent, errc why,
                      execution_context* host) override;

  void worker_has_room(worker_number number, const room_report& report,
                       execution_context* host) override;

  // -- called by CAF and wakers -----------------------------------------------

  const char* name() const override {
    return "libpool::node_agent";
  }

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  void time_is_up(execution_context* host) override;

private:
  using host_ptr = execution_context*;

  // Numbers under which the system and the local pool are watched.
  static constexpr worker_number system_number{static_cast<std::uint64_t>(-1)};
  static constexpr worker_number pool_number{static_cast<std::uint64_t>(-2)};

  /// How a handler ended, and the bytes of its answer.
  struct task_end {
    ending how = ending::completed;
    std::string bytes;
  };

  /// A message that the local pool has.
  struct local_task : libpool::task {
    task_number number_outside{};
    std::uint64_t taking = 0; // of the durable queue; 0: none
    /// Element with the message, until the task has ended; nullptr: none.
    tracked_element* carrier = nullptr;
    std::shared_ptr<passage> sent;
    /// How the task ends when its answer comes; unset: the element tells it.
    std::optional<ending> ends;
    std::string answer;
  };

  // -- messages and rounds, in node_agent.cpp ---------------------------------

  void act(command call, host_ptr host);
  void received(caf::mailbox_element_ptr element, host_ptr host) override;
  void handled_all(host_ptr host) override;
  void manage(caf::mailbox_element& element, host_ptr host);
  void carry_out(host_ptr host);
  std::string written(const batch_to_pool& batch);
  void session_changed();
  void set_waker();
  bool is_due() const;
  void tick(host_ptr host);

  instant now() const {
    return how_.now();
  }

  // -- the connection, in agent_line.cpp --------------------------------------

  void open_transport(host_ptr host);
  void send(const batch_to_pool& batch);
  void say(const stream_mark& mark, std::string& batch);
  void take(const batch_to_agent* batch, host_ptr host);
  bool note_mark(const batch_to_agent& came);
  void note_client();
  void take(rejection why, host_ptr host);

  // -- tasks, in agent_tasks.cpp ----------------------------------------------

  void take(const batch_to_agent& came, host_ptr host);
  void take(const tasks_sent& sent, const batch_to_agent& came, host_ptr host);
  void begin_tasks(host_ptr host);
  void begin(task_number task, host_ptr host);
  void submit(local_task& run, caf::mailbox_element_ptr work,
              std::shared_ptr<const task_facts> facts, host_ptr host);
  std::vector<local_task*> runs_of(std::vector<task_number> tasks);
  void stop(const std::vector<local_task*>& runs, host_ptr host);
  void take_back(const std::vector<local_task*>& runs, bool stops,
                 host_ptr host);
  void ask_begun(const std::vector<local_task*>& runs, host_ptr host);
  bool adopt(task_number task, std::uint64_t taking, bool has_content,
             host_ptr host);
  void drop_old_results();
  introduction introduced() const;
  void answered(caf::mailbox_element& element, host_ptr host);
  void came_back(tracked_element& carrier, host_ptr host);
  void conclude(local_task& run, const tracked_element& carrier, host_ptr host);
  void never_began(local_task& run);
  void leave_if_ended(errc why, host_ptr host);
  void settle(local_task& run, ending how, host_ptr host,
              std::optional<duration> took = std::nullopt);
  void finish(task_number task, task_end with, host_ptr host,
              std::optional<duration> took = std::nullopt);

  // -- life, in agent_life.cpp ------------------------------------------------

  void watch_system();
  void died(worker_number number, host_ptr host);
  void drain(caf::mailbox_element& element, host_ptr host);
  void leave(const caf::error& why, host_ptr host);
  void end_if_over(host_ptr host);
  void end(const caf::error& reason, bool has_left, host_ptr host);
  void let_go();
  caf::error trouble() const;
  agent_state collect_state() const;

  // The members below belong to the handling thread.

  const node_setup how_;
  caf::actor pool_;
  agent_connection end_;
  waker waker_{*this};
  std::optional<instant> wakes_at_; // by the clock of `how_`
  caf::strong_actor_ptr self_;      // until it ends
  caf::actor_addr system_;          // an actor that ends with the system

  std::shared_ptr<transport> line_; // until the agent ends
  session_stream<std::string> stream_;
  node_epoch epoch_;
  instant gives_up_at_ = never; // if it leaves, or if a client is silent
  caf::error trouble_;
  /// Time at which the line came up, or the last message of the pool arrived.
  instant heard_at_{};

  std::optional<worker_number> session_;       // of `results_`
  std::map<task_number, batch_part> contents_; // of waiting tasks
  std::map<task_number, std::string> results_; // not sent yet
  std::map<std::uint64_t, local_task> runs_;   // by request number
  free_list<tracked_element> carriers_;
  std::size_t carriers_out_ = 0;  // elements that the local pool has
  std::vector<begun_task> begun_; // of which the pool is to be told
  bool is_full_ = false;          // the local pool
  held_tasks<task_end> held_;     // of the durable queue
  std::uint64_t last_request_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t strays_ = 0;

  std::optional<caf::error> leaves_; // reason, if the agent leaves
  bool has_ended_ = false;
  std::vector<return_path> drainers_;
};

} // namespace libpool
