/// Which pools a collector shows, and for how long.

#include "libpool/metrics/collector.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace metrics_tests {

struct collecting_world : test::managed_world {
  /// Whether the exposition has that text.
  bool shows(const std::string& text) const {
    return collector.exposition().find(text) != std::string::npos;
  }

  libpool::metrics_collector collector;
};

TEST_CASE_FIXTURE(collecting_world, "a collector shows a pool by its name") {
  populate(2, promising());
  collector.add(pool, "squares");
  CHECK(shows("libpool_workers{pool=\"squares\",state=\"idle\"} 2\n"));
}

} // namespace metrics_tests
