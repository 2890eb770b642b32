#pragma once

#include "libpool/actors/actor_pool.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/locks.hpp>
#include <caf/mailbox_element.hpp>

#include <utility>
#include <vector>

namespace test {

/// A policy as users wrote them for `caf::actor_pool`: sends to the worker that
/// `choose` returns, which one thread after the other calls.
template <class Choose>
auto policy_for_caf(Choose choose) {
  return
    [choose = std::move(choose)](
      caf::actor_system&, libpool::actor_pool::uplock& guard,
      const std::vector<caf::actor>& workers, caf::mailbox_element_ptr& element,
      libpool::execution_context* host) mutable {
      caf::upgrade_to_unique_lock<libpool::caf_lock> unique{guard};
      auto& worker = choose(workers);
      unique.unlock();
      worker->enqueue(std::move(element), host);
    };
}

} // namespace test
