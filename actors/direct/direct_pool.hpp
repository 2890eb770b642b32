#pragma once

#include "libpool/actors/caf/pool_front.hpp"
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

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace libpool {

/// The actor in front of a direct pool, see `actor_pool`: each message goes on
/// to workers at once, in the thread of its sender, and is forgotten.
///
/// Cost:    about 10 ns and one atomic exchange a message, besides what the
///          policy needs. A change of the worker set copies it, O(workers).
/// Threads: any number of senders; a change never waits for dispatches, nor
///          they for it.
class direct_pool final : public pool_front {
public:
  direct_pool(caf::actor_config& cfg, policy how, pool_options options);

  // -- called by users, through actor_pool ------------------------------------

  bool is_managed() const noexcept override {
    return false;
  }

  void populate(std::size_t n, const factory& make_worker) override;

  pool_stats stats() override;

  void stop(const caf::error& reason, caf::execution_unit* host) override;

  // -- called by CAF ----------------------------------------------------------

  using pool_front::enqueue;

  void enqueue(caf::mailbox_element_ptr element,
               caf::execution_unit* host) override;

  const char* name() const override;

  void on_destroy() override;

  // -- as a worker of managed pools -------------------------------------------

  libpool::room room() const noexcept override;

  /// Not known to workers of its own that block.
  bool lets_recall() const noexcept override {
    return false;
  }

private:
  void dispatch_request(const worker_set& set, caf::mailbox_element_ptr element,
                        caf::execution_unit* host);
  void policy_failed(caf::mailbox_element_ptr element,
                     caf::strong_actor_ptr sender, caf::message_id id,
                     caf::execution_unit* host);
  bool is_endless(std::size_t repeated);
  bool contains_itself();
  [[gnu::noinline]] void refuse(caf::mailbox_element& element, errc why,
                                caf::execution_unit* host);
  void refuse(caf::mailbox_element& element, caf::error why,
              caf::execution_unit* host);
  void tell_refused(caf::mailbox_element& element, caf::error why);
  void answer(const caf::mailbox_element& element, caf::message content,
              caf::execution_unit* host);

  bool manage(caf::mailbox_element& element, caf::execution_unit* host);
  bool settle(caf::mailbox_element& element, caf::error result,
              caf::execution_unit* host);
  bool tell_workers(const caf::mailbox_element& element,
                    caf::execution_unit* host);

  caf::error add(const actor_vec& more);
  caf::error put(const caf::actor& worker);
  caf::error remove(const caf::actor& worker);
  caf::error remove_all();
  void worker_died(worker_number number, const caf::error& reason,
                   caf::execution_unit* host) override;

  void tell_room(caf::execution_unit* host);

  std::optional<actor_vec> close();
  void finish(caf::error reason, caf::execution_unit* host);

  mutable published<worker_set> workers_{worker_set{}};
  policy policy_;
  pool_options options_;
  std::atomic<std::uint64_t> joined_{0};
  std::atomic<std::uint64_t> refused_{0};
};

} // namespace libpool
