/// Which pools a collector shows, by which names, and for how long.

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "metrics/scrape.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace metrics_collecting_tests {

using libpool::actor_pool;
using libpool::metrics_collector;

namespace {

struct world : test::managed_world {
  caf::actor other_pool() {
    return actor_pool::make(
      system(), 1, [this] { return system().spawn<test::doubler>(); },
      actor_pool::shared_queue());
  }

  static void end(const caf::actor& pool) {
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  std::size_t shown() const {
    return test::scrape{collector}.number_of_series("pool_info");
  }

  bool shows(const std::string& text) const {
    return collector.exposition().find(text) != std::string::npos;
  }

  metrics_collector collector;
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "pools share the metric families, with one series each "
                  "by the name under which they were added, until they "
                  "end") {
  CHECK(collector.Collect().empty());
  CHECK(collector.exposition().empty());
  populate(2, promising());
  auto other = other_pool();
  collector.add(pool, "squares");
  collector.add(other, "q");
  CHECK(shows("# TYPE libpool_workers gauge\n"));
  CHECK(shows("\nlibpool_workers{pool=\"squares\",state=\"idle\"} 2\n"));
  CHECK(shows("libpool_worker_slots{pool=\"squares\"} 2\n"
              "libpool_worker_slots{pool=\"q\"} 1\n"));
  CHECK(shown() == 2);
  end(other); // although there is a handle
  run();
  CHECK(shown() == 1);
  CHECK(!shows("\"q\""));
}

TEST_CASE_FIXTURE(world, "a pool with a typed handle can be added") {
  using doubling = caf::typed_actor<test::signature<int, int>>;
  auto typed = libpool::spawn_typed_pool<doubling>(system(), 3, [this] {
    return system().spawn([]() -> doubling::behavior_type {
      return {[](int x) { return 2 * x; }};
    });
  });
  collector.add(typed, "p");
  CHECK(test::scrape{collector}("worker_slots") == 3);
  end(caf::actor_cast<caf::actor>(typed));
  run();
}

TEST_CASE_FIXTURE(world, "a collector does not keep a pool alive") {
  auto other = other_pool();
  collector.add(other, "q");
  CHECK(shown() == 1);
  caf::actor_addr address = other.address();
  other = nullptr;
  run();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
  CHECK(shown() == 0);
}

TEST_CASE_FIXTURE(
  world,
  "a name can be used for another pool only after the first pool has ended") {
  populate(1, promising());
  auto first = other_pool();
  collector.add(first, "q");
  CHECK_THROWS_WITH(collector.add(pool, "q"),
                    "libpool: metrics_collector: 'q' is already in use");
  CHECK_THROWS_AS(collector.add(first, "q"), std::invalid_argument);
  CHECK(shown() == 1);
  end(first);
  run();
  collector.add(pool, "q");
  CHECK(shown() == 1);
}

TEST_CASE_FIXTURE(world, "a pipeline and a pool may have the same name") {
  populate(1, promising());
  auto line = libpool::spawn_pipeline(
    system(), libpool::pool_stage<int, int>("double", pool));
  collector.add(pool, "p");
  collector.add_pipeline(line, "p");
  CHECK_THROWS_WITH(collector.add_pipeline(line, "p"),
                    "libpool: metrics_collector: 'p' is already in use");
  end(line);
  run();
  const test::scrape now{collector};
  CHECK(now.has("workers"));
  CHECK(!now.has("stage_items"));
}

TEST_CASE_FIXTURE(world, "only pools and pipelines can be added") {
  populate(1, promising());
  auto worker = workers().front();
  CHECK_THROWS_WITH(
    collector.add(worker, "w"),
    "libpool: metrics_collector: 'w' is not a pool of this node");
  CHECK_THROWS_WITH(
    collector.add(caf::actor{}, "w"),
    "libpool: metrics_collector: 'w' is not a pool of this node");
  CHECK_THROWS_WITH(
    collector.add_pipeline(pool, "w"),
    "libpool: metrics_collector: 'w' is not a pipeline of this node");
  CHECK_THROWS_WITH(
    collector.add(pool, ""),
    "libpool: metrics_collector: '' is not a name: it must not be empty");
  CHECK(shown() == 0);
}

TEST_CASE_FIXTURE(
  world, "names are escaped, and bytes that are not UTF-8 are replaced") {
  populate(1, promising());
  auto other = other_pool();
  collector.add(pool, "a \"b\"\\\n");
  collector.add(other, "\xC3\xA9 \xFF");
  CHECK(shows("libpool_worker_slots{pool=\"a \\\"b\\\"\\\\\\n\"} 1\n"));
  CHECK(shows("libpool_worker_slots{pool=\"\xC3\xA9 \xEF\xBF\xBD\"} 1\n"));
  end(other);
  run();
}

} // namespace metrics_collecting_tests
