/// Workers that end while they are made members of a pool, or count how often
/// they are watched. With CAF 1 no actor can tell when it is being watched.

#include "support/direct_world.hpp"

namespace dying_when_watched_tests {

using libpool::actor_pool;
using libpool::errc;
using test::numbers;
using world = test::direct_world;

namespace {

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

} // namespace

TEST_CASE_FIXTURE(world,
                  "a worker that terminates while it is added is not added") {
  auto make = [this] { return test::make<dies_when_watched>(*this); };
  auto pool = empty_pool();
  CHECK(client.put(pool, make()).error() == errc::worker_down);
  CHECK(client.put(pool, ws[0].handle()).is_empty());
  CHECK(actor_pool::stats(pool).workers == 1);
  // Likewise when the pool is made.
  auto empty = actor_pool::make(system(), 3, make, actor_pool::round_robin());
  CHECK(client.ask(empty, 1).error() == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "a pool that joins results watches its workers again "
                         "for no further message") {
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
  stop(pool);
}

} // namespace dying_when_watched_tests
