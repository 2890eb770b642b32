#pragma once

#include "libpool/actors/managed/backlog.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace libpool {

struct managed_task;

/// Waiting messages of a managed pool with the same turn, first come, first
/// served: the messages of one flow, or all messages if the order has no flows.
struct waiting_line {
  /// Flow of the messages, if the order has flows.
  flow_key flow;
  backlog messages;
  /// A task without a message that waits in the dispatcher for the messages of
  /// the line. It gets the first message when it goes to a worker. nullptr if
  /// the order has no flows.
  managed_task* head = nullptr;
  /// Number of workers with messages of the line that may come back.
  std::size_t leases = 0;
  /// Whether the line is among the lines that may need a head.
  bool is_looked_at = false;
};

/// Messages of a managed pool for which no task was made. If the order has
/// flows, each flow with messages has a line.
///
/// Cost:    O(1) to add and to take, as in `backlog`.
/// Threads: one at a time.
class waiting_messages {
public:
  waiting_messages() = default;
  waiting_messages(const waiting_messages&) = delete;
  waiting_messages& operator=(const waiting_messages&) = delete;
  ~waiting_messages() = default;

  bool empty() const noexcept {
    return size_ == 0;
  }

  /// Number of messages in all lines.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Number of messages in all lines, without one for each head.
  std::size_t behind_heads() const noexcept {
    return size_ - heads_;
  }

  /// The line of all messages, if the order has no flows.
  waiting_line& all() noexcept {
    return all_;
  }

  const waiting_line& all() const noexcept {
    return all_;
  }

  /// Returns the line of the flow. Valid while the line is in use.
  waiting_line& of(const flow_key& flow);

  /// Returns the line of the flow with that hash; nullptr if there is none.
  waiting_line* find(std::uint64_t flow) noexcept {
    auto i = by_flow_.find(flow);
    return i == by_flow_.end() ? nullptr : &i->second;
  }

  // -- messages that come and go ----------------------------------------------

  void add(waiting_line& to, caf::mailbox_element_ptr element, instant now,
           follows how) {
    to.messages.add(std::move(element), now, how);
    ++size_;
    look_at(to);
  }

  /// Adds the `n` messages that `next` returns.
  template <class Next>
  void add(waiting_line& to, std::size_t n, instant now, Next next) {
    to.messages.add(n, now, std::move(next));
    size_ += n;
    look_at(to);
  }

  /// Puts a message that was taken back to its former position.
  void put_back(waiting_line& to, waiting_message message) {
    to.messages.put_back(std::move(message));
    ++size_;
    look_at(to);
  }

  /// Removes and returns the first message.
  /// @pre the line is not empty
  waiting_message take(waiting_line& from) noexcept {
    --size_;
    return from.messages.take();
  }

  // -- lines of flows ---------------------------------------------------------

  /// Makes the task, which waits in the dispatcher, the head of the line.
  /// @pre the line has messages, and no head
  void set_head(waiting_line& of, managed_task& task) noexcept {
    of.head = &task;
    ++heads_;
  }

  /// Removes the head and the first message, and returns the message. The head
  /// goes to a worker with the message, or is settled with it.
  /// @pre the line has a head
  waiting_message take_with_head(waiting_line& from) {
    from.head = nullptr;
    --heads_;
    look_at(from);
    return take(from);
  }

  /// Returns a line with messages and without a head; nullptr if there is none.
  waiting_line* next_without_head();

  /// Notes that one worker fewer has messages of the line.
  void lease_ended(waiting_line& line) {
    --line.leases;
    look_at(line);
  }

  /// Calls `f` for the line of each flow.
  template <class F>
  void for_each_flow(F f) const {
    for (const auto& each : by_flow_)
      f(each.second);
  }

private:
  using lines = std::unordered_map<std::uint64_t, waiting_line>;

  void look_at(waiting_line& line) {
    if (&line != &all_ && !line.is_looked_at && line.head == nullptr) {
      line.is_looked_at = true;
      looked_at_.push_back(&line);
    }
  }

  void forget(waiting_line& line);

  waiting_line all_;
  lines by_flow_;                       // by hash of the flow
  std::vector<lines::node_type> spare_; // unused
  std::vector<waiting_line*> looked_at_;
  std::size_t size_ = 0;
  std::size_t heads_ = 0;
};

} // namespace libpool
