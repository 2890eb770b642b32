#pragma once

#include "libpool/nodes/node_side.hpp"
#include "libpool/nodes/pool_side.hpp"
#include "libpool/nodes/stealing_protocol.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace test {

/// A pool, two nodes and the events that may happen to them.
struct protocol_setting {
  static constexpr std::size_t nodes = 2;
  static constexpr std::size_t most_tasks = 3;

  std::size_t tasks = 3;
  unsigned retries = 0;
  /// So many requests of each thief, for 1 to so many tasks each.
  unsigned requests = 2;
  std::size_t most_stolen = 2;
  /// So many nodes are lost, and so many handlers crash.
  unsigned losses = 1;
  unsigned crashes = 0;
  /// So many messages fit into a channel: a sender with more has to wait.
  std::size_t room = 2;
  /// A message may overtake the one before it.
  bool overtakes = false;
  /// Messages that a node has sent before it died still arrive, if need be
  /// after the pool was told of the loss; otherwise they are lost with the
  /// node.
  bool has_last_words = false;
  /// A lost node is not dead, but out of reach, and learns that some time.
  bool cuts_off = false;

  // -- events that the protocol need not survive ------------------------------

  /// So many messages arrive twice, or never.
  unsigned duplicates = 0;
  unsigned vanishing = 0;
  /// The pool is not told that a node is lost.
  bool is_silent = false;
};

/// One event.
struct protocol_step {
  enum class kind : std::uint8_t {
    assign,   ///< The pool sends `task` to `node`.
    request,  ///< The pool asks for `task` tasks for `node`; of two requests
              ///< this one has the later deadline if `which`.
    deadline, ///< The sooner deadline passes, or both if `which`.
    give_up,  ///< No node is left for `task`.
    begin,    ///< `node` begins a task.
    complete, ///< The first handler of `node` ends well.
    crash,    ///< The first handler of `node` ends badly.
    arrive,   ///< Message `which` from `node`, or to it, arrives,
    copy,     ///< is doubled,
    drop,     ///< or vanishes.
    lose,     ///< `node` is lost.
    tell,     ///< The pool is told.
    notice,   ///< `node`, being cut off, learns that.
  };

  kind is = kind::assign;
  std::uint8_t node = 0;
  std::uint8_t task = 0;
  std::uint8_t which = 0;
  /// Whether the message is from the node.
  bool is_up = false;
};

using protocol_message =
  std::variant<libpool::tasks_sent, libpool::steal_request,
               libpool::steal_granted, libpool::steal_refused,
               libpool::task_done>;

/// The contents that messages may have.
struct message_parts {
  std::vector<libpool::task_number> tasks;
  libpool::request_number id{}; // from 1
  /// The number of tasks that it asks for, or how its task has ended.
  std::size_t detail = 0;
};

message_parts parts_of(const protocol_message& message);

/// The real machines, with the channels between them.
class protocol_world {
public:
  explicit protocol_world(const protocol_setting& how);

  /// The steps that are possible now, but for channels that are full.
  void list_steps(std::vector<protocol_step>& to) const;

  /// Lets it happen. Returns whether the channels had room for it.
  bool take(const protocol_step& step);

  /// Whether the step will come sooner or later, unless another one does.
  static bool must_come(const protocol_step& step) noexcept;

  /// The step in words, as it would happen now.
  std::string words_for(const protocol_step& step) const;

  /// The violation in this state; empty if there is none.
  std::string wrong() const;

  /// The violation if this was the end; empty if there is none.
  std::string wrong_at_the_end() const;

  /// The state as bytes, without history. Worlds that differ only by the
  /// numbers of tasks or nodes have equal bytes.
  void encode(std::string& to) const;

private:
  static constexpr std::size_t nodes = protocol_setting::nodes;
  static constexpr std::size_t most_tasks = protocol_setting::most_tasks;

  enum class condition : std::uint8_t { well, dead, cut, aware };

  using channel = std::vector<protocol_message>;

  struct node {
    condition is = condition::well;
    unsigned requests_left = 0;
    libpool::node_side machine;
    channel down;
    channel up;

    channel& channel_of(const protocol_step& step) {
      return step.is_up ? up : down;
    }

    /// Calls `f` with each task that is on the node or on its way from or to
    /// it.
    template <class F>
    void for_each_task(F f) const;
  };

  /// The fate of a task, as seen from outside.
  struct fate {
    bool in_hands = true; // as the pool has told
    unsigned runs = 0;
    unsigned outcomes = 0;
  };

  struct labels;

  bool serves(std::size_t at) const {
    return pool_.members().count(libpool::worker_number{at}) > 0;
  }

  void list_steps_of(std::size_t at, std::vector<protocol_step>& to) const;
  void list_arrivals(std::size_t at, std::vector<protocol_step>& to) const;
  void ask(const protocol_step& step);
  void pass_deadline(bool both);
  void lose(node& member);
  void arrive(const protocol_step& step);
  void arrive_at_pool(std::size_t from, const libpool::pool_message& message);
  void carry_out_decisions();
  void collect_messages();
  bool has_room() const noexcept;

  std::array<unsigned, most_tasks> owners() const;
  bool nodes_agree() const;
  bool requests_agree() const;
  bool is_answerable(libpool::request_number id,
                     const libpool::pool_side::open_request& open) const;
  void encode(std::string& to, bool swap) const;
  void encode_pool(std::string& to, bool swap) const;
  std::string record_of(std::size_t task, bool swap) const;

  protocol_setting how_;
  libpool::pool_side pool_;
  std::array<node, nodes> nodes_;
  std::array<fate, most_tasks> fates_;
  std::string broken_; // by the last step
};

} // namespace test
