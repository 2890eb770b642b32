/// Workers that have no mailbox of libpool's.

#include "support/probe.hpp"

#include "libpool/pool.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <string>

namespace untracked_workers_tests {

using libpool::actor_pool;
using libpool::errc;

TEST_CASE("a managed pool refuses a worker if set_up was forgotten, and says "
          "so") {
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

} // namespace untracked_workers_tests
