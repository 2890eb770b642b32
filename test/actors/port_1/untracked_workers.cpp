/// Workers that have no mailbox of libpool's.

#include "support/direct_world.hpp"

#include <caf/actor_companion.hpp>

namespace untracked_workers_tests {

using libpool::actor_pool;
using libpool::errc;

TEST_CASE(
  "the error about a worker without set_up states that set_up is missing") {
  caf::actor_system_config config;
  config.set("caf.scheduler.max-threads", 1);
  caf::actor_system system{config};
  auto worker = [](caf::event_based_actor*) -> caf::behavior {
    return {[](int x) { return x; }};
  };
  std::string words;
  try {
    libpool::spawn_pool(system, 1, worker);
  } catch (const std::invalid_argument& refused) {
    words = refused.what();
  }
  CAPTURE(words);
  CHECK(words.find("call libpool::set_up(config)") != std::string::npos);
}

TEST_CASE_FIXTURE(test::direct_world, "a managed pool refuses a companion") {
  auto companion =
    caf::actor_cast<caf::actor>(system().spawn<caf::actor_companion>());
  auto pool = empty_pool(actor_pool::shared_queue());
  auto answer = client.put(pool, companion);
  CHECK(answer.error() == errc::untrackable_worker);
  CHECK(text(answer).find("can only be a worker of a direct pool")
        != std::string::npos);
  caf::actor_cast<caf::abstract_actor*>(companion)->cleanup(
    caf::exit_reason::user_shutdown, nullptr);
  stop(pool);
}

} // namespace untracked_workers_tests
