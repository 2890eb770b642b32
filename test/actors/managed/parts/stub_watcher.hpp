#pragma once

#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/watch.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <utility>
#include <vector>

namespace test {

/// An actor that does nothing. Stands for the pool: counts how often it is
/// woken. Or for a client: keeps what it gets.
class stub_watcher final
  : public libpool::delivering<stub_watcher, libpool::watcher> {
public:
  explicit stub_watcher(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&& element,
               libpool::execution_context*) {
    if (keeps) {
      kept = std::move(element);
      return;
    }
    received.push_back({element->mid, libpool::take_content(*element)});
  }

  const char* name() const override {
    return "stub_watcher";
  }

  void worker_died(libpool::worker_number, const caf::error&,
                   libpool::execution_context*) override {
    ++deaths;
  }

  void time_is_up(libpool::execution_context*) override {
    ++woken;
  }

  struct message {
    caf::message_id id;
    caf::message content;
  };

  std::vector<message> received;
  bool keeps = false; ///< The next element as it comes.
  caf::mailbox_element_ptr kept;
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
