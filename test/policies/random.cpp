#include "libpool/policies/random.hpp"
#include "support/chi_squared.hpp"
#include "support/placement_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace random_tests {

using libpool::assignment;
using test::placement_world;
using names = placement_world::names;
using namespace std::chrono_literals;

namespace {

struct lots_world : placement_world {
  explicit lots_world(std::uint64_t seed, std::size_t size,
                      assignment when = assignment::eager)
    : placement_world(std::make_unique<libpool::random>(seed), {when}) {
    join_all(size);
  }
};

constexpr auto draws = 20000;
const std::vector<std::uint64_t> seeds{0, 1, 2, 42};

} // namespace

TEST_CASE("the placement 'random' draws each worker equally often") {
  for (auto seed : seeds)
    for (std::size_t size : {2U, 3U, 7U, 16U}) {
      CAPTURE(seed);
      CAPTURE(size);
      lots_world w{seed, size};
      std::vector<double> counts(size);
      for (auto i = 0; i < draws; ++i)
        ++counts.at(w.serve(0ns));
      CHECK(test::chi_squared(counts) < test::once_in_a_million(size));
    }
}

TEST_CASE("each permitted worker of a restricted task is drawn equally often") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    lots_world w{seed, 6};
    auto& where = w.only_on({1, 2, 5});
    std::vector<double> counts(6);
    for (auto i = 0; i < draws; ++i) {
      auto& task = w.add();
      task.where = &where;
      ++counts.at(w.submit(task));
      w.finish(w.last());
    }
    CHECK(counts[0] + counts[3] + counts[4] == 0);
    CHECK(test::chi_squared({counts[1], counts[2], counts[5]})
          < test::once_in_a_million(3));
  }
}

TEST_CASE(
  "each worker is drawn equally often after workers have left and joined") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    lots_world w{seed, 5};
    w.retire(0);
    w.retire(3);
    w.join();
    std::vector<double> counts(6);
    for (auto i = 0; i < draws; ++i)
      ++counts.at(w.serve(0ns));
    CHECK(counts[0] + counts[3] == 0);
    CHECK(test::chi_squared({counts[1], counts[2], counts[4], counts[5]})
          < test::once_in_a_million(4));
  }
}

TEST_CASE("two successive draws give each pair of workers equally often") {
  for (auto seed : seeds) {
    CAPTURE(seed);
    lots_world w{seed, 4};
    std::vector<double> counts(16);
    auto before = w.serve(0ns);
    for (auto i = 0; i < draws; ++i) {
      auto worker = w.serve(0ns);
      ++counts.at(before * 4 + worker);
      before = worker;
    }
    CHECK(test::chi_squared(counts) < test::once_in_a_million(16));
  }
}

TEST_CASE("equal seeds draw the same workers, and different seeds draw "
          "different workers") {
  lots_world a{7, 5};
  lots_world b{7, 5};
  lots_world c{8, 5};
  auto drawn = a.submit_all(100);
  CHECK(drawn == b.submit_all(100));
  CHECK(drawn != c.submit_all(100));
}

TEST_CASE("the placement 'random' chooses the same worker again until a task "
          "is assigned") {
  libpool::random lots{3};
  libpool::task some;
  std::vector<libpool::worker> workers(50);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    workers[i].number = libpool::worker_number{i};
    lots.joined(workers[i], {});
    lots.offered(workers[i], {});
  }
  std::set<libpool::worker*> drawn;
  for (auto i = 0; i < 20; ++i) {
    auto* worker = lots.choose(some, {});
    for (auto j = 0; j < 5; ++j)
      CHECK(lots.choose(some, {}) == worker);
    lots.assigned(*worker, some, {});
    lots.unassigned(*worker, some, {});
    drawn.insert(worker);
  }
  // 20 draws of 50 are 10 or fewer once in 10^7 times.
  CHECK(drawn.size() > 10);
}

TEST_CASE(
  "with lazy assignment, a worker that has no room for a task is not drawn") {
  placement_world w{std::make_unique<libpool::random>(5U), {assignment::lazy}};
  w.join_all(4, 1);
  auto all = w.submit_all(4);
  CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == 4);
  CHECK(w.submit() == placement_world::nobody);
}

} // namespace random_tests
