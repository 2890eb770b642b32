#include "hash_tree/driver.hpp"
#include "hash_tree/run.hpp"

#include "scratch_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace hash_tree;

namespace {

constexpr std::size_t file_count = 500;
constexpr std::size_t worker_count = 3;

struct collecting final : sink {
  void settled(const result& what) override {
    results.push_back(what);
  }
  std::vector<result> results;
};

struct fixture {
  fixture() {
    config.add_message_types<caf::id_block::hash_tree>();
    config.set("scheduler.max-threads", 2);
    for (std::size_t i = 0; i < file_count; ++i)
      folder.file("d/" + std::to_string(i), std::to_string(i));
  }

  void run(const pool_policy& policy) {
    caf::actor_system system{config};
    const job what{{folder / "d"}, false, worker_count};
    run_pool(system, policy, what, out, state);
  }

  bool in_order() const {
    return std::is_sorted(
      out.results.begin(), out.results.end(),
      [](const result& x, const result& y) { return x.path < y.path; });
  }

  std::size_t failures() const {
    return static_cast<std::size_t>(
      std::count_if(out.results.begin(), out.results.end(),
                    [](const result& x) { return !x.error.empty(); }));
  }

  scratch_folder folder;
  caf::actor_system_config config;
  std::atomic<bool> stop{false};
  run_state state{worker_count, stop};
  collecting out;
};

/// Watches how much is on its way while a policy dispatches.
struct watched {
  static inline const pool_policy* policy = nullptr;
  static inline const run_state* state = nullptr;
  static inline std::size_t dispatched = 0;
  static inline std::size_t most = 0;

  static std::size_t finished() {
    std::size_t out = 0;
    for (const auto& tally : state->tallies)
      out += tally.files;
    return out;
  }

  static libpool::actor_pool::policy make() {
    dispatched = most = 0;
    return [inner = policy->make()](
             caf::actor_system& system, libpool::actor_pool::uplock& guard,
             const libpool::actor_pool::actor_vec& workers,
             caf::mailbox_element_ptr& what, caf::execution_unit* host) {
      dispatched += policy->workers_per_request(1, workers.size())
                    * what->content().get_as<batch>(0).files.size();
      most = std::max(most, dispatched - finished());
      inner(system, guard, workers, what, host);
    };
  }
};

libpool::actor_pool::policy throwing() {
  return [](caf::actor_system&, libpool::actor_pool::uplock&,
            const libpool::actor_pool::actor_vec&, caf::mailbox_element_ptr&,
            caf::execution_unit*) { throw std::runtime_error("no idea"); };
}

} // namespace

TEST_CASE("every policy of the catalogue can be run") {
  for (const auto& entry : libpool::direct_policies()) {
    CAPTURE(std::string{entry.name});
    CHECK(find_policy(entry.name) != nullptr);
  }
  CHECK(find_policy("no such policy") == nullptr);
}

TEST_CASE("every policy yields every file once, in order") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    f.run(policy);
    CHECK(f.out.results.size() == file_count);
    CHECK(f.in_order());
    CHECK(f.failures() == 0);
    CHECK(f.state.files_done == file_count);
  }
}

TEST_CASE("every worker does its share, with broadcast all of the work") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    f.run(policy);
    std::size_t sum = 0;
    for (const auto& tally : f.state.tallies) {
      CHECK(tally.files > 0);
      sum += tally.files;
    }
    CHECK(sum == file_count * policy.workers_per_request(1, worker_count));
  }
}

TEST_CASE("what is submitted and not finished stays limited") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    watched::policy = &policy;
    watched::state = &f.state;
    auto spy = policy;
    spy.make = watched::make;
    f.run(spy);
    const auto copies = policy.workers_per_request(1, worker_count);
    CHECK(watched::dispatched == file_count * copies);
    CHECK(watched::most <= 32 * worker_count * copies);
  }
}

TEST_CASE("a policy that fails is the result of every file, not the end") {
  fixture f;
  auto broken = pool_policies().front();
  broken.make = throwing;
  f.run(broken);
  CHECK(f.out.results.size() == file_count);
  CHECK(f.failures() == file_count);
}

TEST_CASE("told to stop, it ends without a result for each file") {
  fixture f;
  f.stop = true;
  f.run(pool_policies().front());
  CHECK(f.out.results.empty());
}

TEST_CASE("a vanished file is an error and nothing else") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    caf::actor_system system{f.config};
    const job what{{f.folder / "d", f.folder / "missing"}, false, worker_count};
    run_pool(system, policy, what, f.out, f.state);
    CHECK(f.out.results.size() == file_count + 1);
    CHECK(f.failures() == 1);
    CHECK(f.out.results.back().error == "No such file or directory");
  }
}
