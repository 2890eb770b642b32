#pragma once

#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/caf/waker.hpp"
#include "libpool/actors/gathering.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

class collectors;
struct gather;

/// Collects the answers of the workers that were asked to handle parts of a
/// message, and answers the message once, with a result or an error.
///
/// A collector has no mailbox and no turn: it joins an answer in the thread
/// that brings the answer. Only the open requests refer to it, and a pool that
/// still has some of its tasks. When the last of these references goes, the
/// collector is destroyed and answers for the workers that did not. If all
/// workers have answered, its `collectors` keep it, and it serves another
/// message when nothing refers to it any more.
class collector final : public delivering<collector, serial_actor> {
public:
  collector(caf::actor_config& cfg, std::shared_ptr<collectors> home);

  /// Asks workers to handle their tasks, none of which is empty, for the
  /// message `client`. A result that a worker sends instead of an answer counts
  /// as well. The collector watches the workers.
  void ask(worker_tasks tasks, std::unique_ptr<joiner> join,
           caf::mailbox_element_ptr client, execution_context* host);

  /// Starts to wait for `asked` answers. The pool makes the requests. The pool
  /// is told when the collector has `decided`, if answers are missing or more
  /// workers may be asked.
  void expect(gather& gather, std::size_t asked, std::unique_ptr<joiner> join,
              caf::mailbox_element_ptr client);

  /// Notes that the pool has asked one more worker.
  void expect_another(execution_context* host);

  /// Notes that the pool could not ask as many more workers as were wanted.
  void found_nobody(execution_context* host);

  /// Notes that the worker for part `i` was removed from the pool before it
  /// began. The request for the part gets no answer.
  void removed(std::size_t i, const std::string& worker,
               execution_context* host);

  /// Returns the id of the request for part `i`; different for each message.
  caf::message_id request_id(std::size_t i, bool urgent) const noexcept;

  // -- called by CAF and by the parts of the collector ------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  void time_is_up(execution_context* host) override;

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  const char* name() const override {
    return "libpool::collector";
  }

  void unreachable() override;

private:
  using host_ptr = execution_context*;

  /// A part that a worker was asked to handle.
  struct part {
    bool open = true;
    bool acknowledged = false; // empty answer, a result may still come
    std::size_t watched = 0;   // index of the worker, if the collector asks
  };

  /// A worker that may be asked again for another message, and stays watched.
  struct watched_worker {
    caf::actor_addr address;
    worker_number number;
    std::string name;
  };

  void begin(std::size_t asked, std::unique_ptr<joiner> join,
             caf::mailbox_element_ptr client);
  /// Returns the time for the votes.
  instant now() const {
    return is_timed_ ? clock_now() : instant{};
  }
  instant clock_now() const;
  void set_waker();
  std::size_t keep_watching(const caf::actor& worker);
  void unwatch_all();
  void send(std::size_t i, const caf::actor& worker, caf::message task,
            host_ptr host);

  void received(caf::mailbox_element_ptr element, host_ptr host) override;
  void answered(std::size_t i, caf::mailbox_element& element, host_ptr host);
  void sent(caf::mailbox_element& element, host_ptr host);
  void died(worker_number number, const std::string& reason, host_ptr host);
  void owner_died(std::size_t i, const std::string& reason, host_ptr host);
  void worker_failed(std::size_t i, const std::string& name,
                     const caf::error& why, host_ptr host);
  void pool_failed(std::size_t i, const caf::error& why, host_ptr host);
  void failed(std::size_t i, const caf::error& why, host_ptr host);
  void was_removed(std::size_t i, const std::string& worker, host_ptr host);
  void note_unhandled(const caf::error& why);
  void succeeded(std::size_t i, caf::mailbox_element& element, host_ptr host);
  void succeeded(std::size_t i, caf::message& result, host_ptr host);
  void count_success(std::size_t i);
  void close(std::size_t i);

  bool join(std::size_t i, caf::message& result, host_ptr host);
  void join_one(caf::message& result);
  /// Whether a worker has handled a part, or the message has no parts.
  bool has_result() const noexcept {
    return successes_ > 0 || parts_.empty();
  }

  void decide(host_ptr host);
  void ask_more(std::size_t n, host_ptr host);
  void has_found_nobody(host_ptr host);
  void expire(host_ptr host);
  void succeed(host_ptr host);
  void fail(const verdict& verdict, host_ptr host);
  void fail(errc code, std::string why, host_ptr host);
  void fail_for_all(std::size_t needed, host_ptr host);
  void answer(caf::message content, host_ptr host);
  void rest_if_done();
  std::string name_of(std::size_t i) const;
  std::string names_of_missing() const;

  const std::shared_ptr<collectors> home_;
  std::vector<watched_worker> watched_; // only if the collector asks
  std::size_t next_watched_ = 0;        // where the next worker may be
  std::uint64_t watches_ = 0;
  bool asks_ = false;     // whether the collector asks, and not a pool
  const bool is_timed_;   // whether votes need the time
  const bool is_awaited_; // whether the pool waits, even after all answers
  const bool tells_;      // whether the pool is told in any case
  bool was_sent_abroad_ = false; // to another node, as the sender of a request
  gather* of_ = nullptr;         // only if the pool asks

  // State for one message:
  std::unique_ptr<joiner> join_;
  caf::mailbox_element_ptr client_; // until it is answered
  std::vector<part> parts_;
  // results, if joined in order
  std::vector<std::optional<caf::message>> early_;
  std::size_t joined_ = 0; // of `early_`
  std::vector<caf::error> failures_;
  std::string removed_; // names of workers that were removed before they began
  // first error that is not a worker's answer
  std::optional<inner_end> unhandled_;
  const std::unique_ptr<gather_votes> votes_;
  std::size_t open_ = 0;
  std::size_t successes_ = 0;
  std::size_t wanted_ = 0; // workers that the pool is about to ask
  bool found_nobody_ = false;
  std::uint64_t first_id_ = 1; // id of the request for the first part
  waker waker_{*this};
};

/// Returns a collector that serves no message, with the only reference to it:
/// an unused one of `home`, or a new one.
caf::strong_actor_ptr take_collector(caf::actor_system& system,
                                     const std::shared_ptr<collectors>& home);

/// Returns the collector behind `ptr`.
/// @pre `ptr` refers to a collector
collector& collector_behind(const caf::strong_actor_ptr& ptr) noexcept;

} // namespace libpool
