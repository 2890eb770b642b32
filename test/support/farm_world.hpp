#pragma once

#include "libpool/core/splitmix64.hpp"
#include "libpool/nodes/node_end.hpp"
#include "libpool/nodes/pool_end.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace test {

/// A pool with several nodes, and what happens to them, all drawn from a seed.
struct farm_setting {
  std::size_t nodes = 3;
  std::size_t tasks = 24;
  unsigned retries = 0;
  /// So many faults: a connection closes, or passes nothing for a while; a node
  /// or the pool stands still, a node's program ends and begins anew, a node
  /// leaves, or is sent away.
  unsigned faults = 6;
  /// One task in so many is not wanted any more when time passes for it at a
  /// node; and is of a kind that its node cannot read.
  std::size_t unwanted = 200;
  std::size_t unread = 10;
  /// A content has at most so many bytes; 4096 may be under way to a node.
  std::size_t largest = 1'000;

  // -- owners of the machines that are wrong ----------------------------------

  /// The pool has others run a task before the lease of its node is over.
  bool does_not_wait = false;
  /// The node begins tasks whatever the time is.
  bool ignores_lease = false;
  /// A task that nobody wants any more is taken to be back at once.
  bool takes_back_unasked = false;
  /// A task that is given back is forgotten.
  bool loses_what_comes_back = false;
};

/// The real machines of a pool and its nodes, with everything between them.
///
/// Messages of one direction of a connection keep their order, and take any
/// time; those of different ones come in any order.
class farm_world {
public:
  farm_world(const farm_setting& how, std::uint64_t seed);

  /// Goes on until each task has an outcome. Returns what was wrong; empty if
  /// nothing was.
  std::string run();

  /// The counts of all outcomes.
  struct counts {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t given_back = 0;
    std::uint64_t unread = 0;
    std::uint64_t lost = 0;
    std::uint64_t sessions = 0;
    std::uint64_t strays = 0;
  };

  const counts& seen() const noexcept {
    return seen_;
  }

private:
  using number = libpool::task_number;
  using session = libpool::worker_number;

  template <class Letter>
  struct under_way {
    libpool::instant arrives;
    Letter letter;
    std::size_t bytes = 0;
  };

  /// A client's task.
  struct work {
    unsigned runs = 0;
    unsigned tries = 0;
    unsigned outcomes = 0;
    bool is_with_pool = true;
    bool is_wanted = true;
  };

  /// One try of it.
  struct attempt {
    std::size_t of = 0;
    session to{};
    std::size_t bytes = 0;
    bool is_out = true;
    bool begins_no_more = false;
  };

  struct node {
    std::unique_ptr<libpool::node_end> machine;
    libpool::connection_number by{};
    bool is_open = false;
    libpool::instant learns = libpool::never;   // that it has closed
    libpool::instant connects = libpool::never; // anew
    libpool::instant stands_until{};
    libpool::instant blocked_until{}; // its connection
    std::deque<under_way<libpool::letter_to_pool>> up;
    std::deque<under_way<libpool::letter_to_node>> down;
    std::map<number, libpool::instant> running; // until then
    std::set<number> contents;
  };

  bool draw(std::size_t one_in);
  libpool::duration draw_time(libpool::duration most);

  void step();
  void pool_acts(node& at);
  void node_acts(node& at);
  void have_fault();
  void start_program(node& at);
  void close(node& at);
  void connect(node& at);
  void place();
  void cancel_some();
  void carry_out();
  void release(const libpool::pool_end::release& told);
  void come_back(attempt& last);
  void collect(node& at);
  void begin_tasks(node& at);
  void end_tasks(node& at);
  template <class Letter>
  void send(std::deque<under_way<Letter>>& by, const node& at, Letter letter,
            std::size_t bytes);
  std::string wrong() const;
  bool is_over() const;

  farm_setting how_;
  libpool::splitmix64 random_;
  libpool::instant now_;
  libpool::pool_end pool_;
  libpool::instant pool_stands_until_{};
  std::vector<node> nodes_;
  std::map<libpool::connection_number, libpool::instant> untold_; // closed
  std::uint64_t connections_ = 0;
  std::uint64_t programs_ = 0;
  std::uint64_t attempts_ = 0;
  std::vector<work> works_;
  std::map<number, attempt> tries_;
  std::map<session, std::size_t> windows_; // of nodes that serve
  std::map<session, std::size_t> in_flight_;
  counts seen_;
  std::string broken_;
};

} // namespace test
