#include "worker_registry.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "support/port/skipping.hpp"

namespace products {

namespace {

using cargoes = std::vector<cargo>;

template <class Self>
typename Self::behavior_type work_of(Self* self, const worker_state_ptr& at) {
  return test::behavior_with<cargo>(
    *self, at, [=](const cargoes& all) { return at->handle_all(*self, all); },
    [=](keep_atom) { at->keep_promises(); },
    [=](open_atom) { self->become(work_of(self, at)); }); // looks again
}

template <class Self>
typename Self::behavior_type begin(Self* self, const worker_state_ptr& at) {
  self->set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
    return caf::error{caf::sec::runtime_error}; // without a word
  });
  return work_of(self, at);
}

class event_worker : public caf::event_based_actor {
public:
  event_worker(caf::actor_config& cfg, worker_state_ptr at)
    : caf::event_based_actor(cfg), at_(std::move(at)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return begin<caf::event_based_actor>(this, std::exchange(at_, nullptr));
  }

private:
  worker_state_ptr at_;
};

class detached_worker final : public event_worker {
public:
  detached_worker(caf::actor_config& cfg, const worker_state_ptr& at)
    : event_worker(cfg, at), turns_(at->turns()), number_(at->number()) {
    // nop
  }

  caf::resumable::resume_result resume(libpool::execution_context* host,
                                       std::size_t most) override {
    turn here{turns_, number_};
    return event_worker::resume(host, most);
  }

private:
  baton& turns_;
  const std::size_t number_;
};

class blocking_worker final : public caf::blocking_actor {
public:
  blocking_worker(caf::actor_config& cfg, worker_state_ptr at)
    : caf::blocking_actor(cfg),
      turns_(at->turns()),
      number_(at->number()),
      at_(std::move(at)) {
    // nop
  }

  void act() override {
    static thread_local std::optional<turn> until_thread_ends;
    until_thread_ends.emplace(turns_, number_);
    auto at = std::exchange(at_, nullptr);
    test::receive_with<cargo>(
      *this, at, is_running_, at->expects_strange(),
      [this, at](const cargoes& all) { return at->handle_all(*this, all); },
      [at](keep_atom) { at->keep_promises(); }, [](open_atom) {},
      [this](caf::exit_msg& x) { stop(std::move(x.reason)); });
  }

  void stop(caf::error why) {
    is_running_ = false;
    fail_state(std::move(why));
  }

protected:
  void await_data() override {
    turns_.give_back();
    caf::blocking_actor::await_data();
    turns_.take(number_);
  }

  bool await_data(timeout_type until) override {
    turns_.give_back();
    auto result = caf::blocking_actor::await_data(until);
    turns_.take(number_);
    return result;
  }

private:
  baton& turns_;
  const std::size_t number_;
  worker_state_ptr at_;
  bool is_running_ = true;
};

using typed_worker =
  caf::typed_actor<test::signature<int, cargo>,
                   test::signature<std::vector<int>, cargoes>,
                   test::reaction<keep_atom>, test::reaction<open_atom>>;

typed_worker::behavior_type typed(typed_worker::pointer self,
                                  const worker_state_ptr& at) {
  using base = std::remove_pointer_t<typed_worker::pointer>;
  return begin<base>(self, at);
}

caf::behavior function(caf::event_based_actor* self,
                       const worker_state_ptr& at) {
  return begin(self, at);
}

struct notes {
  std::vector<int> unused;
};

caf::behavior stateful(caf::stateful_actor<notes>* self,
                       const worker_state_ptr& at) {
  return begin<caf::event_based_actor>(self, at);
}

/// An actor in an event loop of its own, which the test runs.
caf::actor spawn_companion(caf::actor_system& system,
                           const worker_state_ptr& at) {
  auto result =
    caf::actor_cast<caf::actor>(system.spawn<caf::actor_companion>());
  auto& self =
    static_cast<caf::actor_companion&>(libpool::actor_behind(result));
  self.become(begin(&self, at));
  return result;
}

} // namespace

caf::actor spawn_worker(caf::actor_system& system, worker_kind kind,
                        const worker_state_ptr& at) {
  switch (kind) {
    case worker_kind::event_based:
      return system.spawn<event_worker>(at);
    case worker_kind::function:
      return system.spawn(function, at);
    case worker_kind::stateful:
      return system.spawn(stateful, at);
    case worker_kind::typed:
      return caf::actor_cast<caf::actor>(system.spawn(typed, at));
    case worker_kind::companion:
    case worker_kind::deaf_companion:
      return spawn_companion(system, at);
    case worker_kind::detached:
      return system.spawn<detached_worker, caf::detached>(at);
    case worker_kind::blocking:
      return system.spawn<blocking_worker>(at);
  }
  return nullptr;
}

} // namespace products
