#pragma once

#include "libpool/actors/error.hpp"
#include "libpool/actors/return_path.hpp"
#include "libpool/actors/split_join.hpp"
#include "libpool/actors/watch.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace libpool {

/// Collects the results of one split message and answers it.
///
/// What reaches it, in whatever thread, becomes an event in a queue, and one
/// thread at a time handles events: whoever puts one in while nobody does. So
/// the state below needs no lock, `join` never runs twice at a time, and
/// nothing of the user's runs under a lock. Requests that are still out refer
/// to the collector, the collector refers to nobody: when the last of them is
/// dropped it is destroyed, and answers for those that did not.
class collector final : public watcher {
public:
  collector(caf::actor_config& cfg, std::unique_ptr<split_task> task,
            split_join_options options, return_path client);

  using watcher::enqueue;

  /// Sends the tasks, none of which is empty.
  void begin(worker_tasks tasks, caf::execution_unit* host);

  void time_is_up(caf::execution_unit* host) override {
    tell({event::kind::expired, 0, {}, {}}, host);
  }

  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* host) override;

  void worker_died(worker_number number, const caf::error& reason,
                   caf::execution_unit* host) override;

  const char* name() const override {
    return "libpool::split_join";
  }

  void on_destroy() override;

private:
  struct event {
    enum class kind { result, sent, acknowledged, failed, died, expired };

    kind what;
    std::size_t part;
    caf::message content;
    std::string reason;
  };

  /// One worker's part.
  struct assignment {
    caf::actor_addr worker;
    bool open = true;
    bool acknowledged = false; // answered, but with nothing
  };

  void start_timer();
  void stop_timer(caf::execution_unit* host);
  void send(std::size_t part, const caf::actor& worker, caf::message task,
            caf::execution_unit* host);
  void receive_answer(std::size_t part, caf::mailbox_element& what,
                      caf::execution_unit* host);

  void tell(event what, caf::execution_unit* host);
  void drain(caf::execution_unit* host);
  void handle(event& what, caf::execution_unit* host);
  std::size_t first_open_part_like(std::size_t part) const;
  void close(std::size_t part);
  void join(caf::message& result, caf::execution_unit* host);
  void miss(errc code, std::string why, caf::execution_unit* host);
  void expire(caf::execution_unit* host);

  void succeed(caf::execution_unit* host);
  void fail(errc code, std::string why, caf::execution_unit* host);
  void answer(caf::message content, caf::execution_unit* host);
  caf::strong_actor_ptr me() const;
  std::string names_of_missing() const;

  std::mutex events_mutex_;
  std::deque<event> events_;
  bool draining_ = true; // nobody handles events before all tasks are sent

  std::unique_ptr<split_task> task_;
  split_join_options options_;
  return_path client_;
  std::vector<assignment> parts_; // grows in `begin` only
  std::size_t open_ = 0;
  caf::actor timer_;
  bool done_ = false;
};

} // namespace libpool
