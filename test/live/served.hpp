#pragma once

#include "libpool/observability/live/live_view.hpp"
#include "support/patience.hpp"
#include "work.hpp"

#include <doctest/doctest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace test {

/// What a browser would ask a view.
struct client_of {
  explicit client_of(const libpool::live_view& view)
    : http("127.0.0.1", view.port()) {
    http.set_read_timeout(patience);
  }

  httplib::Response get(const std::string& path,
                        const httplib::Headers& headers = {}) {
    auto result = http.Get(path, headers);
    if (!result)
      FAIL("no answer from " << path << ": " << to_string(result.error()));
    return *result;
  }

  httplib::Response post(const std::string& path,
                         const httplib::Headers& headers = {}) {
    auto result = http.Post(path, headers, "", "text/plain");
    if (!result)
      FAIL("no answer from " << path << ": " << to_string(result.error()));
    return *result;
  }

  nlohmann::json pools() {
    return nlohmann::json::parse(get("/api/v1/pools").body);
  }

  /// The first pool.
  nlohmann::json pool() {
    return pools()["pools"].at(0);
  }

  httplib::Client http;
};

/// A pool and a view of it.
struct served_world : live_world {
  explicit served_world(std::size_t workers,
                        const libpool::live_options& options = {},
                        libpool::managed_options how = {}, bool threads = true)
    : live_world(workers, std::move(how), threads), view(options) {
    view.add(pool, "pool");
  }

  /// Has all workers run a task until they are opened.
  void block(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i)
      send("blocking", until_opened);
    REQUIRE(comes_true([&] { return stats().tasks.running == workers; }));
  }

  libpool::live_view view;
  client_of client{view};
};

/// A pipeline whose stage in the middle holds its items, and a view of it.
struct served_line {
  explicit served_line(const std::string& slow_stage) {
    libpool::stage_options two;
    two.credit = 2;
    auto slow = [gate = gate](int x) {
      gate->pass(until_opened);
      return x;
    };
    auto same = [](int x) { return x; };
    libpool::pipeline_options how;
    how.answer = libpool::answer_when::accepted;
    line =
      libpool::spawn_pipeline(system,
                              libpool::function_stage("read", same, two)
                                | libpool::function_stage(slow_stage, slow, two)
                                | libpool::function_stage("count", same, two),
                              how);
    view.add_pipeline(line, "words");
    for (auto i = 0; i < 9; ++i)
      caf::anon_send(line, i);
    const auto full = "stage " + slow_stage
                      + " is full, 5 items wait to enter the pipeline";
    REQUIRE(comes_true([&] { // the mean of ten seconds begins at 0
      auto now = shown();
      return now["stages"][0]["answered"] == 4 && !now["problems"].empty()
             && now["problems"][0]["text"] == full;
    }));
  }

  served_line(const served_line&) = delete;
  served_line& operator=(const served_line&) = delete;

  ~served_line() {
    gate->open();
    caf::anon_send_exit(line, caf::exit_reason::user_shutdown);
  }

  nlohmann::json shown() {
    return client_of{view}.pools()["pipelines"].at(0);
  }

  std::shared_ptr<turnstile> gate = std::make_shared<turnstile>();
  config settings;
  caf::actor_system system{settings};
  caf::actor line;
  libpool::live_view view;
};

} // namespace test
