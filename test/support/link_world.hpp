#pragma once

#include "libpool/nodes/link_protocol.hpp"
#include "libpool/nodes/node_link.hpp"
#include "libpool/nodes/node_sessions.hpp"
#include "libpool/nodes/node_side.hpp"
#include "libpool/nodes/pool_side.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace test {

/// A pool, two nodes, and what may happen to the connections between them.
/// Times are in quarters of a lease.
struct link_setting {
  static constexpr std::size_t nodes = 2;
  static constexpr std::size_t most_tasks = 2;

  std::size_t tasks = 1;
  unsigned retries = 0;
  /// So many connections close, with all that is under way on them.
  unsigned closings = 1;
  /// So long things happen.
  int until = 4;
  /// So many messages fit into a channel.
  std::size_t room = 2;
  /// So many nodes take part.
  std::size_t members = 2;

  // -- machines that are wrong ------------------------------------------------

  /// The pool has tasks run again as soon as a connection has closed.
  bool does_not_wait = false;
  /// The node counts a lease that is so many quarters longer.
  int longer = 0;
  /// The node does not look at its lease.
  bool ignores_lease = false;
  /// The pool does not know that a hello is of a node that it knows.
  bool forgets_nodes = false;
  /// The pool sends tasks before the node is ready.
  bool admits_at_once = false;
};

/// One event.
struct link_step {
  enum class kind : std::uint8_t {
    assign,    ///< The pool sends `task` in the session `node`.
    begin,     ///< `node` begins a task.
    complete,  ///< The first handler of `node` ends.
    arrive,    ///< The first message from `node`, or to it, arrives.
    close,     ///< The connection of `node` closes.
    notice,    ///< `node` learns that,
    tell,      ///< or the pool does.
    connect,   ///< `node` has a new connection.
    tick_node, ///< `node` looks at its clock,
    tick_pool, ///< or the pool does.
    pass,      ///< A quarter of a lease passes.
  };

  kind is = kind::assign;
  std::uint8_t node = 0;
  std::uint8_t task = 0;
  bool is_up = false;
};

/// The real machines, with the connections between them.
class link_world {
public:
  explicit link_world(const link_setting& how);

  void list_steps(std::vector<link_step>& to) const;
  bool take(const link_step& step);
  static bool must_come(const link_step& step) noexcept;
  std::string words_for(const link_step& step) const;
  std::string wrong() const;
  std::string wrong_at_the_end() const;
  void encode(std::string& to) const;

private:
  struct portion {
    libpool::worker_number session{};
    libpool::tasks_sent tasks;
  };

  struct result {
    libpool::worker_number session{};
    libpool::task_done done;
  };

  using up_message = std::variant<libpool::hello, libpool::ready, libpool::beat,
                                  libpool::bye, result>;
  using down_message = std::variant<libpool::welcome, libpool::beat, portion>;

  struct node {
    explicit node(libpool::incarnation who) : link(who) {
      // nop
    }

    libpool::node_link link;
    libpool::node_side machine;
    libpool::worker_number serves{}; // the session of the machine's tasks
    libpool::connection_number by{};
    bool is_open = true;
    bool knows = true; // whether it is
    std::uint64_t hellos = 0;
    libpool::instant said_hello{};
    std::vector<up_message> up;
    std::vector<down_message> down;
  };

  struct fate {
    bool in_hands = true;
    unsigned runs = 0;
    unsigned outcomes = 0;
  };

  libpool::instant now() const;
  bool may_begin(const node& at) const;
  void connect(node& at);
  void close(node& at);
  void arrive_at_pool(node& from);
  void arrive_at_node(node& at);
  void carry_out_sessions();
  void carry_out_books();
  void collect(node& from);
  void drop_if_over(node& at);
  void begin(node& at);
  bool has_room() const noexcept;
  bool has_two_sessions_of_a_run() const;
  node* node_by(libpool::connection_number by);
  void encode(std::string& to, const node& at) const;

  link_setting how_;
  int time_ = 0;
  libpool::node_sessions sessions_;
  libpool::pool_side pool_;
  std::set<libpool::worker_number> over_;   // for the pool
  std::set<libpool::worker_number> served_; // by nodes
  std::array<node, link_setting::nodes> nodes_;
  std::vector<libpool::connection_number> untold_; // closed
  std::uint64_t connections_ = 0;
  std::array<fate, link_setting::most_tasks> fates_;
  std::string broken_;
};

} // namespace test
