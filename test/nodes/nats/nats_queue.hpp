/// Ends of a durable queue of a NATS server, without pools.

#pragma once

#include "libpool/nodes/nats/jetstream.hpp"
#include "libpool/nodes/nats/work_sender.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/nats/work_taker.hpp"
#include "nats_server.hpp"
#include "support/patience.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace test {

/// Notes what a front or a client is told.
struct queue_listener final : libpool::work_user, libpool::submission_user {
  struct submission {
    std::uint64_t number = 0;
    std::uint64_t attempt = 0;
    std::vector<std::uint64_t> takings;
    bool is_checked = false;
    std::string content;
  };

  void came(libpool::queued_work work) override {
    std::lock_guard guard{mutex};
    given.push_back({work.number, work.attempt, work.takings, work.is_checked,
                     std::string{work.content.bytes}});
  }

  void taken_over() override {
    std::lock_guard guard{mutex};
    is_taken_over = true;
  }

  void settled(const std::vector<std::uint64_t>&) override {
    std::lock_guard guard{mutex};
    ++stored;
  }

  void accepted(const std::string&) override {
    settled({});
  }

  void answered(const std::string&, libpool::received_bytes result) override {
    std::lock_guard guard{mutex};
    answers.emplace_back(result.bytes);
  }

  void came_up() override {
    // nop
  }

  void went_down(const std::string&) override {
    // nop
  }

  bool has_stored(std::size_t count) const {
    std::lock_guard guard{mutex};
    return stored >= count;
  }

  bool has_lost_queue() const {
    std::lock_guard guard{mutex};
    return is_taken_over;
  }

  bool has(const std::vector<std::string>& wanted) const {
    std::lock_guard guard{mutex};
    return answers == wanted;
  }

  mutable std::mutex mutex;
  std::vector<submission> given;
  std::size_t stored = 0;
  std::vector<std::string> answers;
  bool is_taken_over = false;
};

/// A front of the queue and what it is given.
struct front_of_queue {
  front_of_queue(const libpool::pool_address& where, unsigned retries,
                 std::size_t window = 256, libpool::durable_options how = {}) {
    how.window = window;
    how.retries = retries;
    how.redelivery = std::chrono::seconds{1};
    queue = libpool::open_work_queue(where, how, user, nullptr, nullptr);
    queue->begin();
  }

  /// Waits for the submission with this place among those of the front.
  queue_listener::submission await(std::size_t place) const {
    REQUIRE(comes_true([&] {
      std::lock_guard guard{user->mutex};
      return user->given.size() > place;
    }));
    std::lock_guard guard{user->mutex};
    return user->given[place];
  }

  std::shared_ptr<queue_listener> user = std::make_shared<queue_listener>();
  std::shared_ptr<libpool::work_queue> queue;
};

struct client_of_queue {
  explicit client_of_queue(
    const libpool::pool_address& where,
    libpool::duration before_repeating = std::chrono::seconds{30})
    : queue(
      libpool::open_submission_queue(where, "client", user, before_repeating)) {
    // nop
  }

  std::shared_ptr<queue_listener> user = std::make_shared<queue_listener>();
  std::shared_ptr<libpool::submission_queue> queue;
};

struct queue_world {
  test::nats_server server;
  const libpool::pool_address where{"squares", server.options()};
  const libpool::work_streams streams{where};

  /// Calls JetStream in a connection of its own.
  template <class Function>
  void with_server(Function call) const {
    libpool::jetstream connection{where.by};
    auto how = libpool::jetstream_options(std::chrono::seconds{10});
    REQUIRE(connection.open(how).empty());
    REQUIRE(call(connection) == NATS_OK);
  }

  /// Returns the number of messages in the queue.
  std::uint64_t waiting() const {
    std::uint64_t result = 0;
    with_server([&](const libpool::jetstream& by) {
      jsStreamInfo* found = nullptr;
      auto status = js_GetStreamInfo(&found, by.context(),
                                     streams.queue.c_str(), nullptr, nullptr);
      if (status == NATS_OK)
        result = found->State.Msgs;
      jsStreamInfo_Destroy(found);
      return status;
    });
    return result;
  }

  /// Submits once more with the id, so that the server does not notice.
  void submit_unnoticed(const std::string& id) const {
    with_server([&](const libpool::jetstream& by) {
      auto subject = streams.work + "client." + id;
      return js_Publish(nullptr, by.context(), subject.c_str(), "", 0, nullptr,
                        nullptr);
    });
  }
};

} // namespace test
