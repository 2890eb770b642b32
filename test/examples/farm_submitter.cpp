/// The client of the farm's pool, and a pool that answers when the test wants.

#include "farm/content.hpp"
#include "farm/hashing.hpp"
#include "farm/submitter.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/actors/set_up.hpp"
#include "support/scratch_folder.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace farm_submitter_tests {

using namespace farm;

namespace {

struct configuration : caf::actor_system_config {
  configuration() {
    libpool::set_up(*this);
  }
};

/// What the pool below has seen.
struct observations {
  std::size_t tasks = 0;
  std::size_t most_bytes = 0;
  std::size_t bytes = 0;
};

/// Holds `held` tasks, or all that are still to come if these are fewer, and
/// then answers the last one.
class hoarder : public caf::event_based_actor {
public:
  hoarder(caf::actor_config& cfg, std::size_t held, std::size_t tasks,
          observations& seen)
    : caf::event_based_actor(cfg), held_(held), tasks_(tasks), seen_(seen) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& content) {
      promises_.emplace_back(make_response_promise(), content);
      ++seen_.tasks;
      seen_.bytes += content.size();
      seen_.most_bytes = std::max(seen_.most_bytes, seen_.bytes);
      while (!promises_.empty()
             && (promises_.size() >= held_ || seen_.tasks == tasks_))
        answer();
    }};
  }

private:
  void answer() {
    auto [promise, content] = std::move(promises_.back());
    promises_.pop_back();
    seen_.bytes -= content.size();
    hash_tree::digest value{};
    value[0] = static_cast<std::uint8_t>(content.front());
    promise.deliver(bytes_of(value), std::string{"node"});
  }

  std::size_t held_;
  std::size_t tasks_;
  observations& seen_;
  std::vector<std::pair<caf::response_promise, std::string>> promises_;
};

/// Answers the ids of tasks as digests.
caf::behavior echo() {
  return {
    [](const std::string& id,
       const std::string& content) -> caf::result<std::string, std::string> {
      return {id.substr(0, 32), content.substr(0, 1)};
    }};
}

/// Refuses each content.
caf::behavior refuser() {
  return {[](const std::string&) -> caf::result<std::string, std::string> {
    return libpool::make_error(libpool::errc::too_large);
  }};
}

/// Twenty files of 100 bytes, each of one letter.
struct world {
  world() {
    for (auto c = 'a'; c < 'a' + 20; ++c)
      folder.file(std::string{"tree/"} + c, std::string(100, c));
  }

  void submit(std::uint64_t capacity, std::uint64_t largest, std::size_t held,
              const std::string& path = "tree") {
    submit_to(system.spawn<hoarder>(held, std::size_t{20}, seen), capacity,
              largest, path);
  }

  void submit_to(const caf::actor& pool, std::uint64_t capacity,
                 std::uint64_t largest, const std::string& path,
                 bool with_ids = false) {
    hash_tree::walk files{{folder / path}, false};
    submission to{pool, capacity, largest,
                  [this](const result& x) { results.push_back(x); }, with_ids};
    caf::scoped_actor self{system};
    self->wait_for(
      self->spawn<submitter, caf::detached>(std::move(to), files, stop));
  }

  configuration config;
  caf::actor_system system{config};
  scratch_folder folder;
  std::atomic<bool> stop{false};
  observations seen;
  std::vector<result> results;
};

} // namespace

TEST_CASE_FIXTURE(world, "results come in the order of the paths, regardless "
                         "of the order of answers") {
  submit(400, 100, 4);
  REQUIRE(results.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    auto name = static_cast<char>('a' + i);
    CHECK(results[i].path == folder / (std::string{"tree/"} + name));
    CHECK(results[i].value[0] == static_cast<std::uint8_t>(name));
    CHECK(results[i].size == 100);
    CHECK(results[i].node == "node");
    CHECK(results[i].error.empty());
  }
}

TEST_CASE_FIXTURE(
  world, "the submitter reads files ahead only as far as the capacity allows") {
  submit(499, 100, 4);
  CHECK(results.size() == 20);
  CHECK(seen.most_bytes == 400);
}

TEST_CASE_FIXTURE(world,
                  "a file that is larger than the capacity is sent alone") {
  submit(10, 100, 1);
  CHECK(results.size() == 20);
  CHECK(seen.most_bytes == 100);
}

TEST_CASE_FIXTURE(world, "a file that is too large to send is hashed locally") {
  submit(400, 99, 4);
  REQUIRE(results.size() == 20);
  CHECK(seen.tasks == 0);
  hash_tree::running_digest digest;
  digest.add(std::string(100, 'a').data(), 100);
  CHECK(results[0].value == digest.finish());
  CHECK(results[0].size == 100);
  CHECK(!results[0].node);
}

TEST_CASE_FIXTURE(world, "a file that exceeds the maximum message size of the "
                         "servers is hashed locally") {
  submit_to(system.spawn(refuser), 400, 100, "tree/a");
  REQUIRE(results.size() == 1);
  hash_tree::running_digest digest;
  digest.add(std::string(100, 'a').data(), 100);
  CHECK(results[0].value == digest.finish());
  CHECK(results[0].error.empty());
  CHECK(!results[0].node);
}

TEST_CASE_FIXTURE(world,
                  "a task with an id has the id of the file and then the "
                  "content") {
  submit_to(system.spawn(echo), 400, 100, "tree/b", true);
  REQUIRE(results.size() == 1);
  auto path = folder / "tree/b";
  CHECK(bytes_of(results[0].value)
        == id_of(path, read_file(path, 100)).substr(0, 32));
  CHECK(results[0].node == "b");
}

TEST_CASE_FIXTURE(world,
                  "a path that does not exist is reported with the reason") {
  folder.link("gone", "nothing");
  submit(400, 100, 1, "gone");
  REQUIRE(results.size() == 1);
  CHECK(results[0].error == "No such file or directory");
}

TEST_CASE_FIXTURE(
  world, "a submitter that is stopped ends without waiting for answers") {
  stop = true;
  submit(400, 100, 21);
  CHECK(results.empty());
}

} // namespace farm_submitter_tests
