#include "hash_tree/driver.hpp"
#include "hash_tree/account.hpp"
#include "hash_tree/run.hpp"

#include "libpool/actors/set_up.hpp"
#include "port/configuring.hpp"
#include "port/content.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include <unistd.h>

using namespace hash_tree;

namespace {

constexpr std::size_t file_count = 500;
constexpr std::size_t worker_count = 3;

/// Of small files in one folder, that many travel in one request.
constexpr std::size_t files_together = 16;

/// The requests for so many small files of one folder.
constexpr std::size_t requests_for(std::size_t files) {
  return (files + files_together - 1) / files_together;
}

/// With work stealing, each file just below the path has a home of its own.
std::size_t requests_for_all(const pool_policy& policy) {
  return policy.name == "work_stealing" ? file_count : requests_for(file_count);
}

struct collecting final : sink {
  void settled(const result& result) override {
    results.push_back(result);
  }
  std::vector<result> results;
};

struct fixture {
  fixture() {
    libpool::set_up(config);
    port::add_message_types<caf::id_block::hash_tree>(config);
    port::set_threads(config, 2);
    for (std::size_t i = 0; i < file_count; ++i)
      folder.file("d/" + std::to_string(i), std::to_string(i));
  }

  void run(const pool_policy& policy, bool chaos = false) {
    run({"d"}, policy, chaos);
  }

  void run(std::vector<std::string> paths, const pool_policy& policy,
           bool chaos = false) {
    for (auto& each : paths)
      each = folder / each;
    caf::actor_system system{config};
    const job job{std::move(paths), false, worker_count, chaos};
    run_pool(system, policy, job, out, state);
  }

  /// A file that takes minutes to read.
  void add_huge_file() {
    folder.file("d/+");
    truncate("d/+", off_t{1} << 40);
  }

  void truncate(const std::string& path, off_t size) const {
    CHECK(::truncate((folder / path).c_str(), size) == 0);
  }

  std::size_t files_hashed() const {
    std::size_t sum = 0;
    for (const auto& tally : state.tallies)
      sum += tally.files;
    return sum;
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

using libpool::managed_options;

const pool_policy& shared_queue() {
  return *find_policy("shared_queue");
}

using paths = std::vector<std::string>;

/// Watches how much is on its way, how big, and in which requests, while a
/// direct policy dispatches.
struct watched {
  static inline const pool_policy* policy = nullptr;
  static inline const fixture* of = nullptr;
  static inline std::size_t dispatched = 0;
  static inline std::size_t most = 0;
  static inline std::uint64_t bytes = 0;
  static inline std::vector<std::size_t> files_of_requests;

  static libpool::actor_pool::policy make(const managed_options& told,
                                          const paths& of_files) {
    dispatched = most = bytes = 0;
    files_of_requests.clear();
    return
      [inner = policy->make(told, of_files)](
        caf::actor_system& system, libpool::actor_pool::uplock& guard,
        const libpool::actor_pool::actor_vec& workers,
        caf::mailbox_element_ptr& element, libpool::execution_context* host) {
        const auto& files = port::content_of(*element).get_as<batch>(0).files;
        dispatched += policy->workers_per_file(workers.size()) * files.size();
        files_of_requests.push_back(files.size());
        most = std::max(most, dispatched - of->files_hashed());
        for (const auto& file : files)
          bytes += file.size;
        inner(system, guard, workers, element, host);
      };
  }

  static void run(const pool_policy& watched_policy, fixture& f,
                  const std::string& path = "d") {
    policy = &watched_policy;
    of = &f;
    auto spy = watched_policy;
    spy.make = make;
    f.run({path}, spy);
  }
};

/// Refuses requests for more than may be on its way, all of which are full.
libpool::actor_pool::policy narrow(const managed_options& told, const paths&) {
  auto options = told;
  options.capacity = 32 * worker_count / files_together;
  return libpool::actor_pool::shared_queue(options);
}

libpool::actor_pool::policy throwing(const managed_options&, const paths&) {
  return
    [](caf::actor_system&, libpool::actor_pool::uplock&,
       const libpool::actor_pool::actor_vec&, caf::mailbox_element_ptr&,
       libpool::execution_context*) { throw std::runtime_error("no idea"); };
}

} // namespace

TEST_CASE("every policy of the catalogue can be run") {
  auto check = [](const auto& catalogue, bool managed) {
    for (const auto& entry : catalogue) {
      CAPTURE(std::string{entry.name});
      REQUIRE(find_policy(entry.name) != nullptr);
      CHECK(is_managed(*find_policy(entry.name)) == managed);
    }
  };
  check(libpool::direct_policies(), false);
  check(libpool::managed_policies(), true);
  CHECK(find_policy("no such policy") == nullptr);
}

TEST_CASE("with every policy, a run has one result for each file in order, and "
          "an error for a file that does not exist") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    f.run({"d", "missing"}, policy);
    CHECK(f.out.results.size() == file_count + 1);
    CHECK(f.in_order());
    CHECK(f.failures() == 1);
    CHECK(f.out.results.back().error == "No such file or directory");
    CHECK(f.state.files_done == file_count + 1);
    for (const auto& tally : f.state.tallies)
      CHECK((tally.files > 0 || is_managed(policy))); // faster workers
    CHECK(f.files_hashed()
          == file_count * policy.workers_per_file(worker_count));
    REQUIRE(f.state.pool.has_value() == is_managed(policy));
    if (!f.state.pool)
      continue;
    CHECK(f.state.pool->tasks.completed == requests_for_all(policy));
    CHECK(f.state.pool->total.waits.count() == requests_for_all(policy));
    CHECK(is_settled(f.state.pool->tasks));
  }
}

TEST_CASE("with direct pools, the program limits the number of files that were "
          "sent to the pool and have no result") {
  for (const auto& policy : pool_policies()) {
    if (is_managed(policy))
      continue;
    CAPTURE(std::string{policy.name});
    fixture f;
    watched::run(policy, f);
    const auto copies = policy.workers_per_file(worker_count);
    CHECK(watched::dispatched == file_count * copies);
    // The names of files are their contents.
    CHECK(watched::bytes == 10 + 2 * 90 + 3 * 400);
    CHECK(watched::most <= 32 * worker_count * copies);
  }
}

TEST_CASE("with policy shared_queue, the program does not send more files than "
          "the capacity of the pool allows") {
  fixture f;
  auto policy = shared_queue();
  policy.make = narrow;
  f.run(policy);
  CHECK(f.out.results.size() == file_count);
  CHECK(f.failures() == 0);
}

TEST_CASE("files of a folder share a request of at most 16 files and 128 KiB, "
          "and a larger file has its own request") {
  fixture f;
  const auto file = [&f](const std::string& name, off_t size) {
    f.folder.file(name);
    f.truncate(name, size);
  };
  constexpr off_t limit = off_t{128} * 1024;
  file("e/a", 1);
  file("e/b", limit - 1);
  file("e/c", 1); // one byte too many
  file("e/d/x", 1);
  file("e/d/y", 1);
  file("e/e", 1); // another folder has come between
  file("e/f", limit + 1);
  file("e/g", 0);
  file("e/h", limit);
  for (char last = 'a'; last <= 'z'; ++last)
    file(std::string{"e/i"} + last, 0);
  watched::run(*find_policy("round_robin"), f, "e");
  CHECK(watched::files_of_requests
        == std::vector<std::size_t>{2, 1, 2, 1, 1, 16, 12});
}

TEST_CASE("two files are sent in one request only if the policy treats both in "
          "the same way") {
  const auto may_share = [](const char* policy, const file_task& x,
                            const file_task& y) {
    return find_policy(policy)->may_share(x, y, {"d"});
  };
  const file_task first{0, "d/a/x", 8191};
  const file_task second{1, "d/a/y", 0};
  const file_task longer{2, "d/a/z", 8192};
  const file_task below{3, "d/a/b/x", 0};
  const file_task top{4, "d/x", 0};
  const file_task also_top{5, "d/y", 0};
  for (const auto& policy : pool_policies()) {
    const auto name = policy.name.data();
    CAPTURE(std::string{name});
    const bool any = policy.name == "split_join";
    CHECK(may_share(name, first, second));
    CHECK(may_share(name, first, longer) == (policy.name != "priority"));
    CHECK(may_share(name, second, below) == any);
    CHECK(may_share(name, second, top) == any);
    CHECK(may_share(name, top, also_top) == (policy.name != "work_stealing"));
  }
}

// The first file would take minutes; the other workers do the rest meanwhile,
// which is more than may be on its way at a time.
TEST_CASE("with policy shared_queue, all other files are hashed while a huge "
          "file is still read") {
  fixture f;
  f.add_huge_file();
  std::thread stopper{[&f] {
    while (f.files_hashed() < file_count)
      std::this_thread::yield();
    f.stop = true;
  }};
  f.run(shared_queue());
  stopper.join();
  CHECK(f.out.results.size() == file_count);
  CHECK(f.failures() == 0);
}

// 8192 results may wait for the first one: then all wait for it.
TEST_CASE("a run completes even if the results of 8191 files must wait for the "
          "result of an earlier file") {
  fixture f;
  f.add_huge_file();
  for (std::size_t i = file_count; i < 9000; ++i)
    f.folder.file("d/" + std::to_string(i));
  std::thread ending{[&f] {
    while (f.files_hashed() < 8191)
      std::this_thread::yield();
    f.truncate("d/+", 0);
  }};
  f.run(shared_queue());
  ending.join();
  CHECK(f.out.results.size() == 9001);
  CHECK(f.failures() == 0);
}

// The first file keeps a worker busy until three of them have been killed.
TEST_CASE("killed workers are replaced, and no file is lost") {
  fixture f;
  f.add_huge_file();
  std::thread ending{[&f] {
    while (f.state.kills < 3)
      std::this_thread::yield();
    f.truncate("d/+", 0);
  }};
  f.run(shared_queue(), true);
  ending.join();
  CHECK(f.out.results.size() == file_count + 1);
  CHECK(f.in_order());
  CHECK(f.failures() == 0);
  REQUIRE(f.state.pool);
  CHECK(f.state.pool->restarts > 0);
  CHECK(f.state.pool->tasks.accepted == 1 + requests_for(file_count));
  CHECK(is_settled(f.state.pool->tasks));
}

TEST_CASE(
  "if the policy fails, every file has the error of the policy as its result") {
  fixture f;
  auto broken = *find_policy("round_robin");
  broken.make = throwing;
  f.run(broken);
  CHECK(f.out.results.size() == file_count);
  CHECK(f.failures() == file_count);
}

TEST_CASE("a run that is told to stop before its first file has no results") {
  for (const auto& policy : pool_policies()) {
    CAPTURE(std::string{policy.name});
    fixture f;
    f.stop = true;
    f.run(policy);
    CHECK(f.out.results.empty());
  }
}
