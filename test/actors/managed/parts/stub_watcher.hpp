#pragma once

#include "libpool/actors/caf/watch.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>

namespace test {

/// Stands for the pool: counts how often it is woken.
class stub_watcher final : public libpool::watcher {
public:
  using libpool::watcher::enqueue;
  explicit stub_watcher(caf::actor_config& cfg) : libpool::watcher(cfg) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {
    // nop
  }

  const char* name() const override {
    return "stub_watcher";
  }

  void worker_died(libpool::worker_number, const caf::error&,
                   caf::execution_unit*) override {
    ++deaths;
  }

  void time_is_up(caf::execution_unit*) override {
    ++woken;
  }

  int woken = 0;
  int deaths = 0;
};

/// A stub that lives as long as `handle`.
struct stub {
  explicit stub(caf::actor_system& system)
    : handle(caf::make_actor<stub_watcher, caf::strong_actor_ptr>(
      system.next_actor_id(), system.node(), &system, config)) {
    // nop
  }

  stub_watcher& operator*() const {
    return static_cast<stub_watcher&>(*handle->get());
  }

  stub_watcher* operator->() const {
    return &**this;
  }

  caf::actor_config config;
  caf::strong_actor_ptr handle;
};

} // namespace test
