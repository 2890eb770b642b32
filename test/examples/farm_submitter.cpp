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

  void submit(std::uint64_t capacity, std::size_t held) {
    submit_to(system.spawn<hoarder>(held, std::size_t{20}, seen), capacity);
  }

  void submit_to(const caf::actor& pool, std::uint64_t capacity,
                 const std::string& path = "tree") {
    hash_tree::walk files{{folder / path}, false};
    submission to{pool, capacity, 100,
                  [this](const result& x) { results.push_back(x); }, false};
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
  submit(400, 4);
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
  submit(499, 4);
  CHECK(results.size() == 20);
  CHECK(seen.most_bytes == 400);
}

TEST_CASE_FIXTURE(world,
                  "a file that is larger than the capacity is sent alone") {
  submit(10, 1);
  CHECK(results.size() == 20);
  CHECK(seen.most_bytes == 100);
}

TEST_CASE_FIXTURE(world, "a file that exceeds the maximum message size of the "
                         "servers is hashed locally") {
  submit_to(system.spawn(refuser), 400, "tree/a");
  REQUIRE(results.size() == 1);
  hash_tree::running_digest digest;
  digest.add(std::string(100, 'a').data(), 100);
  CHECK(results[0].value == digest.finish());
  CHECK(results[0].error.empty());
  CHECK(!results[0].node);
}

TEST_CASE_FIXTURE(
  world, "a submitter that is stopped ends without waiting for answers") {
  stop = true;
  submit(400, 21);
  CHECK(results.empty());
}

} // namespace farm_submitter_tests
