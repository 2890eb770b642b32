#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/caf/waker.hpp"
#include "libpool/actors/served_pool_terms.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// Worker of a client's pool that submits the messages of the pool to a durable
/// queue, and answers them with the results from there. An asynchronous message
/// is done when the queue has stored it.
///
/// The submitter ends with its pool, or when nothing refers to it.
class durable_submitter final
  : public delivering<durable_submitter, serial_actor>,
    public inner_pool {
public:
  durable_submitter(caf::actor_config& cfg, detail::submission_terms terms);

  /// Opens the queue. Exceptions of `open` are passed on.
  /// @pre called once, before other threads know this actor
  void begin(const submission_queue_opener& open);

  // -- called by the queue ----------------------------------------------------

  void accepted(const std::string& id);
  void answered(const std::string& id, received_bytes result);

  /// Notes that the queue is down, and why; it is up if `why` is empty.
  void line_changed(const std::string& why);

  // -- called by the pool -----------------------------------------------------

  const char* kind() const noexcept override {
    return "durable queue";
  }

  libpool::room room() const noexcept override {
    return {how_.most_open, true};
  }

  void cancel_messages(const inner_messages& messages, bool,
                       execution_context* host) override;

  // -- called by CAF and wakers -----------------------------------------------

  const char* name() const override {
    return "libpool::durable_submitter";
  }

  void worker_died(worker_number, const caf::error&,
                   execution_context*) override {
    // nop
  }

  void time_is_up(execution_context* host) override;

protected:
  void received(caf::mailbox_element_ptr element,
                execution_context* host) override;

  void unreachable() override;

private:
  /// A message of the pool that has not ended.
  struct open_message {
    std::uint64_t number = 0;
    caf::mailbox_element_ptr element;
  };

  /// Messages with the same id, which get the same result.
  struct submission {
    std::vector<open_message> messages;
    bool is_stored = false;
  };

  using submission_map = std::map<std::string, submission>;

  void take(caf::mailbox_element_ptr element);
  void submit(open_message message);
  std::string id_of(const caf::message& content, std::uint64_t number) const;
  void stored(submission_map::iterator entry);
  void drop(std::uint64_t number);
  void give_back(caf::mailbox_element_ptr element, errc why, std::string words);
  std::vector<open_message> remove(submission_map::iterator entry);
  void give_up();
  void end(execution_context* host);
  instant now() const;

  const detail::submission_terms how_;
  bool has_ended_ = false;
  std::shared_ptr<submission_queue> queue_;
  submission_map open_;
  std::map<std::uint64_t, std::string> ids_; // of open messages
  std::uint64_t last_number_ = 0;
  std::string trouble_ = "no NATS server has been reached"; // empty while up
  instant down_since_{};
  waker waker_{*this};
};

/// Makes the submitter, with an open queue. Exceptions of `open` are passed on.
caf::actor make_durable_submitter(caf::actor_system& system,
                                  const detail::submission_terms& terms,
                                  const submission_queue_opener& open);

} // namespace libpool
