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
/// message, and answers it: by one result, or by an error, once.
///
/// It joins in the thread that brings an answer: it has neither mailbox nor
/// turn. Requests that are out refer to it, as does a pool that still has some
/// of its tasks, and nothing else. So when all of them are gone it is
/// destroyed, and answers for the workers that did not. If all have answered it
/// is kept by its `collectors`, and serves another message once nothing refers
/// to it any more.
class collector final : public delivering<collector, serial_actor> {
public:
  collector(caf::actor_config& cfg, std::shared_ptr<collectors> home);

  /// Asks workers for their tasks, none of which is empty, on behalf of
  /// `client`. A result that they send instead of an answer counts as well, and
  /// their deaths are watched.
  void ask(worker_tasks tasks, std::unique_ptr<joiner> join,
           caf::mailbox_element_ptr client, execution_context* host);

  /// From now on waits for `asked` answers. The pool asks for them, and is told
  /// when it is `decided`, if others are outstanding or more may be asked.
  void expect(gather& of, std::size_t asked, std::unique_ptr<joiner> join,
              caf::mailbox_element_ptr client);

  /// The pool has asked one more.
  void expect_another(execution_context* host);

  /// The pool could not ask as many more as were wanted.
  void found_nobody(execution_context* host);

  /// The worker that was asked for part `i` was taken out of the pool before it
  /// began. The request for the part is not answered.
  void removed(std::size_t i, const std::string& worker,
               execution_context* host);

  /// The id of the request for part `i`: another one for each message.
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
    bool acknowledged = false; // answered with nothing: a result may still come
    std::size_t watched = 0;   // which of the workers, where it asks itself
  };

  /// A worker that it may ask again, for another message: it stays watched.
  struct watched_worker {
    caf::actor_addr address;
    worker_number number;
    std::string name;
  };

  void begin(std::size_t asked, std::unique_ptr<joiner> join,
             caf::mailbox_element_ptr client);
  /// The time that votes are told.
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
  /// Whether a worker has handled a part, or there was none.
  bool has_result() const noexcept {
    return successes_ > 0 || parts_.empty();
  }

  void decide(host_ptr host);
  void ask_more(std::size_t n, host_ptr host);
  void has_found_nobody(host_ptr host);
  void expire(host_ptr host);
  void succeed(host_ptr host);
  void fail(const verdict& by, host_ptr host);
  void fail(errc code, std::string why, host_ptr host);
  void fail_for_all(std::size_t needed, host_ptr host);
  void answer(caf::message content, host_ptr host);
  void rest_if_done();
  std::string name_of(std::size_t i) const;
  std::string names_of_missing() const;

  const std::shared_ptr<collectors> home_;
  std::vector<watched_worker> watched_; // only where it asks itself
  std::size_t next_watched_ = 0;        // where the next one asked may be
  std::uint64_t watches_ = 0;
  bool asks_ = false;            // itself, as opposed to a pool
  const bool is_timed_;          // whether votes are told the time
  const bool is_awaited_;        // by the pool, whoever has answered
  const bool tells_;             // the pool in any case
  bool was_sent_abroad_ = false; // as the sender of a request
  gather* of_ = nullptr;         // where the pool asks

  // Of the message that it serves.
  std::unique_ptr<joiner> join_;
  caf::mailbox_element_ptr client_; // until it is answered
  std::vector<part> parts_;
  std::vector<std::optional<caf::message>> early_; // results, if ordered
  std::size_t joined_ = 0;                         // of these
  std::vector<caf::error> failures_;
  std::string removed_; // the names of workers, before they began
  std::optional<inner_end> unhandled_; // the first error before any answer
  const std::unique_ptr<gather_votes> votes_;
  std::size_t open_ = 0;
  std::size_t successes_ = 0;
  std::size_t wanted_ = 0; // workers, which the pool is about to ask
  bool found_nobody_ = false;
  std::uint64_t first_id_ = 1; // of the request for the first part
  waker waker_{*this};
};

} // namespace libpool
