#pragma once

#include "libpool/actors/caf/pool_front.hpp"
#include "libpool/actors/caf/pool_number.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/direct/worker_set.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/policy.hpp"
#include "libpool/actors/pool_options.hpp"
#include "libpool/sync/published.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// The actor in front of a direct pool, see `actor_pool`. Each message is
/// passed on to workers immediately, in the thread of its sender, and the pool
/// keeps no record of it.
///
/// Cost:    about 10 ns and one atomic exchange for each message, and the cost
///          of the policy. A change copies the set of workers, O(workers).
/// Threads: any number of senders. Changes and messages do not wait for each
///          other.
class direct_pool final : public delivering<direct_pool, pool_front> {
public:
  direct_pool(caf::actor_config& cfg, policy policy, pool_options options);

  // -- called by users, through actor_pool ------------------------------------

  bool is_managed() const noexcept override {
    return false;
  }

  void populate(std::size_t n, const factory& make_worker) override;

  pool_stats stats() override;
  pool_stats summary() override {
    return stats();
  }

  void record(const recorder_limits&) override {
    // nop: nothing is known
  }

  recording recorded(instant) override {
    return {};
  }

  cancel_counts cancel(const selection&) override {
    return {};
  }

  caf::error pause(const pause_scope&) override {
    return caf::sec::invalid_argument;
  }

  caf::error resume(const pause_scope&) override {
    return caf::sec::invalid_argument;
  }

  caf::error set_limits(const throttles&) override {
    return caf::sec::invalid_argument;
  }

  void stop(const caf::error& reason, execution_context* host) override;

  // -- called by CAF ----------------------------------------------------------

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host);

  const char* name() const override;

  void unreachable() override;

  // -- as a worker of managed pools -------------------------------------------

  libpool::room room() const noexcept override;

  /// False: a worker of the pool that blocks cannot drop a recalled message.
  bool lets_recall() const noexcept override {
    return false;
  }

private:
  void dispatch_opened(const worker_set& set, caf::mailbox_element_ptr element,
                       execution_context* host);
  void dispatch_request(const worker_set& set, caf::mailbox_element_ptr element,
                        execution_context* host);
  void policy_failed(caf::mailbox_element_ptr element,
                     caf::strong_actor_ptr sender, caf::message_id id,
                     execution_context* host);
  bool is_endless(std::size_t repeated);
  bool contains_itself();
  [[gnu::noinline]] void refuse(caf::mailbox_element& element, errc why,
                                execution_context* host);
  void refuse(caf::mailbox_element& element, caf::error why,
              execution_context* host);
  void tell_refused(caf::mailbox_element& element, caf::error why);
  void answer(const caf::mailbox_element& element, caf::message content,
              execution_context* host);

  bool manage(caf::mailbox_element& element, execution_context* host);
  bool settle(caf::mailbox_element& element, caf::error result,
              execution_context* host);
  bool tell_workers(const caf::mailbox_element& element,
                    execution_context* host);

  caf::error add(const actor_vec& more);
  caf::error put(const caf::actor& worker);
  caf::error remove(const caf::actor& worker);
  caf::error remove_all();
  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

  void begin_watching(const caf::actor& worker, worker_number number);
  void end_watching(const caf::actor& worker, worker_number number);
  void worker_has_room(worker_number number, const room_report& report,
                       execution_context* host) override;
  void tell_room(execution_context* host);

  std::optional<actor_vec> close();
  void finish(caf::error reason, execution_context* host);

  /// Identifies the pool where pools report their rooms.
  const std::uint64_t serial_number_ = next_pool_number();
  mutable published<worker_set> workers_{worker_set{}};
  policy policy_;
  pool_options options_;
  std::atomic<std::uint64_t> joined_{0};
  std::atomic<std::uint64_t> refused_{0};
};

} // namespace libpool
