/// Workers that end while they are made members of a pool, or count how often
/// they are watched. With CAF 1 no actor can tell when it is being watched.

#include "libpool/pool.hpp"
#include "support/direct_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace dying_when_watched_tests {

using libpool::actor_pool;
using libpool::errc;
using test::hand_cranked;
using test::probe;

namespace {

template <class Actor>
caf::actor make(hand_cranked& w) {
  caf::actor_config cfg;
  auto& system = w.system();
  return caf::make_actor<Actor, caf::actor>(system.next_actor_id(),
                                            system.node(), &system, cfg);
}

/// Dies in the very moment in which the pool wants to watch it.
class dies_when_watched final
  : public libpool::delivering<dies_when_watched, libpool::front_actor> {
public:
  explicit dies_when_watched(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  const char* name() const override {
    return "dies_when_watched";
  }

  void deliver(caf::mailbox_element_ptr&&, libpool::execution_context*) {
    // nop
  }

  void attach(caf::attachable_ptr attachable) override {
    cleanup(caf::exit_reason::kill, nullptr);
    delivering::attach(std::move(attachable));
  }
};

/// Answers with what it gets, and counts how often it is watched.
class counts_watches final : public caf::event_based_actor {
public:
  counts_watches(caf::actor_config& cfg, int& watches)
    : caf::event_based_actor(cfg), watches_(watches) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[](int x) { return x; }};
  }

  void attach(caf::attachable_ptr attachable) override {
    ++watches_;
    caf::event_based_actor::attach(std::move(attachable));
  }

private:
  int& watches_;
};

struct world : hand_cranked {
  probe client{*this};
  std::vector<probe> ws = test::probes(*this, 2);
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "a worker that terminates while it is added is not added") {
  auto pool = actor_pool::make(system(), actor_pool::round_robin());
  CHECK(client
          .ask(pool, caf::sys_atom{}, caf::put_atom{},
               make<dies_when_watched>(*this))
          .error()
        == errc::worker_down);
  CHECK(client.ask(pool, caf::sys_atom{}, caf::put_atom{}, ws[0].handle())
          .is_empty());
  CHECK(actor_pool::stats(pool).workers == 1);
}

TEST_CASE_FIXTURE(world,
                  "a pool whose workers terminate while it is made is empty") {
  auto pool = actor_pool::make(
    system(), 3, [this] { return make<dies_when_watched>(*this); },
    actor_pool::round_robin());
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a pool that joins results watches its workers again "
                         "for no further message") {
  using test::numbers;
  auto watches = 0;
  auto pool = actor_pool::make(
    system(), 2, [&] { return system().spawn<counts_watches>(watches); },
    actor_pool::split_join<numbers>(test::append, test::one_per_worker));
  std::vector<int> told;
  for (auto i = 0; i < 5; ++i) {
    CHECK(client.ask(pool, numbers{1, 2}).get<numbers>().size() == 2);
    client->inbox.clear(); // or the actor that joins is not used again
    told.push_back(watches);
  }
  CHECK(told == std::vector<int>(5, told.front()));
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace dying_when_watched_tests
