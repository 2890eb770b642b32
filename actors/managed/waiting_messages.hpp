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

/// Messages of a managed pool that wait for the same turn, first come, first
/// served: those of one flow, or all of them where they go by arrival.
struct waiting_line {
  /// Whose they are, where messages go by flows.
  flow_key flow;
  backlog messages;
  /// A task without a message, which waits in the dispatcher on behalf of them:
  /// it gets the first one when it goes. None where messages go by arrival.
  managed_task* head = nullptr;
  /// How many workers have messages of it that they may give back.
  std::size_t leases = 0;
  /// Whether it is among the lines that may need a head.
  bool is_looked_at = false;
};

/// The messages of a managed pool that no task was made of. Where the order
/// goes by flows there is a line for each flow that has any.
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

  /// Of all lines, but for those that heads stand for.
  std::size_t behind_heads() const noexcept {
    return size_ - heads_;
  }

  /// The line of all messages, where they go by arrival.
  waiting_line& all() noexcept {
    return all_;
  }

  const waiting_line& all() const noexcept {
    return all_;
  }

  /// The line of that flow, which there is as long as it is used.
  waiting_line& of(const flow_key& flow);

  /// The line of that flow, if there is one.
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

  /// The same for the `n` messages that `next` returns.
  template <class Next>
  void add(waiting_line& to, std::size_t n, instant now, Next next) {
    to.messages.add(n, now, std::move(next));
    size_ += n;
    look_at(to);
  }

  /// Has been taken out, and goes to its old place.
  void put_back(waiting_line& to, waiting_message message) {
    to.messages.put_back(std::move(message));
    ++size_;
    look_at(to);
  }

  /// Takes out the first one.
  /// @pre there is one
  waiting_message take(waiting_line& from) noexcept {
    --size_;
    return from.messages.take();
  }

  // -- lines of flows ---------------------------------------------------------

  /// The task, which waits in the dispatcher, is the head of the line.
  /// @pre the line has messages, and no head
  void set_head(waiting_line& of, managed_task& task) noexcept {
    of.head = &task;
    ++heads_;
  }

  /// Its head goes with the first message, or is settled with that.
  /// @pre it has a head
  waiting_message take_with_head(waiting_line& from) {
    from.head = nullptr;
    --heads_;
    look_at(from);
    return take(from);
  }

  /// A line that has messages and no head; nullptr if there is none.
  waiting_line* next_without_head();

  /// Fewer workers have messages of it.
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
  lines by_flow_;                       // by hash
  std::vector<lines::node_type> spare_; // that are not in use
  std::vector<waiting_line*> looked_at_;
  std::size_t size_ = 0;
  std::size_t heads_ = 0;
};

} // namespace libpool
