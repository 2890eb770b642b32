/// How a managed pool makes tasks of messages.

#include "libpool/actors/managed/intake.hpp"
#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/fifo.hpp"
#include "libpool/policies/least_used.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using libpool::instant;
using libpool::managed_task;
using libpool::worker_number;
using namespace std::chrono_literals;

namespace {

using content = libpool::message_content;

class deaf_owner final : public libpool::interceptor_owner {
public:
  void answered(const std::shared_ptr<libpool::reply_interceptor>&,
                libpool::execution_context*) override {
    // nop
  }
};

/// The intake of a pool with that order. Options are set before the first
/// message.
template <class Order>
struct world_of : test::hand_cranked {
  static libpool::composition composed() {
    libpool::composition result;
    result.order = std::make_unique<Order>();
    result.placement = std::make_unique<libpool::least_used>();
    return result;
  }

  libpool::intake& intake() {
    if (!answers) {
      answers.emplace(pool.handle.get(), owner, options,
                      libpool::pool_options{});
      taken.emplace(system(), options, dispatcher, *answers);
    }
    return *taken;
  }

  caf::mailbox_element_ptr message(caf::message_id id = {}, int x = 42) {
    return libpool::make_element(client.handle, id, x);
  }

  /// Loads the task with a message, and gets it ready.
  bool take(caf::message_id id = {}) {
    intake().load(task, message(id));
    return intake().prepare(task, instant{1s}) == libpool::errc{};
  }

  static caf::message_id request() {
    return caf::make_message_id(7);
  }

  test::stub pool{system()};
  test::stub client{system()};
  deaf_owner owner;
  libpool::managed_setup options;
  libpool::dispatcher dispatcher{composed(), {}};
  std::optional<libpool::answers> answers;
  std::optional<libpool::intake> taken;
  managed_task task;
};

using intake_world = world_of<libpool::fifo>;
using fair_world = world_of<libpool::exact_fair_queuing>;

std::int64_t number_in(const content& from) {
  return from.get_as<int>(0);
}

} // namespace

TEST_CASE_FIXTURE(intake_world,
                  "a task gets the message that it was loaded with") {
  CHECK(take(request()));
  CHECK(task.is_request);
  CHECK(!task.urgent);
  CHECK(libpool::content_of(*task.element).get_as<int>(0) == 42);
  CHECK(task.element->sender == client.handle);
}

TEST_CASE_FIXTURE(
  intake_world, "an urgent message has a higher priority than other messages") {
  CHECK(take());
  CHECK(!task.is_request);
  CHECK(task.priority == 0);
  CHECK(take(caf::make_message_id(caf::message_priority::high)));
  CHECK(task.urgent);
  CHECK(task.priority == 1);
}

TEST_CASE_FIXTURE(intake_world,
                  "functions of the user determine the attributes of a task") {
  options.priority_of = number_in;
  options.key_of = [](const content&) {
    return std::optional<std::uint64_t>{3};
  };
  options.width_of = [](const content&) { return std::size_t{2}; };
  CHECK(take());
  CHECK(task.priority == 42);
  CHECK(task.key == std::uint64_t{3});
  CHECK(task.width == 2);
}

TEST_CASE_FIXTURE(intake_world,
                  "a task is refused if a function of the user throws") {
  options.priority_of = [](const content&) -> std::int64_t {
    throw std::runtime_error{"no idea"};
  };
  CHECK(!take());
  CHECK(task.crash == "priority_of threw: no idea");
  CHECK(task.has_extras);
}

TEST_CASE_FIXTURE(intake_world, "a message is refused if width_of returns 0") {
  options.width_of = [](const content&) { return std::size_t{0}; };
  CHECK(!take());
  CHECK(task.crash == "width_of: must be at least 1, got 0");
}

TEST_CASE_FIXTURE(intake_world,
                  "a message is refused if move_cost returns a negative time") {
  options.move_cost = [](const content&) { return libpool::duration{-1}; };
  CHECK(!take());
  CHECK(task.crash == "move_cost: must be at least 0 ns, got -1");
}

TEST_CASE_FIXTURE(intake_world,
                  "a deadline counts from the arrival of the message") {
  options.deadline = 5s;
  CHECK(take());
  CHECK(task.deadline == instant{6s});
  CHECK(task.interceptor == nullptr); // no client waits for an answer
}

TEST_CASE_FIXTURE(intake_world,
                  "replies are intercepted if the pool may have to answer") {
  SUBCASE("for a deadline") {
    options.deadline = 5s;
  }
  SUBCASE("for a retry") {
    options.on_crash = libpool::retry{1};
  }
  SUBCASE("for an answer that comes later") {
    options.busy_until = libpool::busy_until::answer;
  }
  CHECK(take(request()));
  CHECK(intake().needs_extras());
  CHECK(task.interceptor != nullptr);
  CHECK(task.element->sender != client.handle);
}

TEST_CASE_FIXTURE(intake_world,
                  "replies are not intercepted if the pool never answers") {
  CHECK(take(request()));
  CHECK(!intake().needs_extras());
  CHECK(task.interceptor == nullptr);
  CHECK(!task.repeatable);
}

TEST_CASE_FIXTURE(intake_world,
                  "a repeatable task keeps its content and its client") {
  options.on_crash = libpool::retry{1};
  CHECK(take());
  CHECK(task.repeatable);
  CHECK(task.content.get_as<int>(0) == 42);
  CHECK(task.client == client.handle);
  CHECK(libpool::content_of(*task.element).get_as<int>(0) == 42);
}

TEST_CASE_FIXTURE(intake_world,
                  "the client of a request is kept for on_settled") {
  options.on_settled = [](const libpool::settled_task&) {};
  CHECK(take(request()));
  CHECK(intake().needs_extras());
  CHECK(task.asker == client.handle);
  CHECK(task.asked == request());
  managed_task other;
  intake().load(other, message());
  CHECK(other.asker == nullptr);
}

TEST_CASE_FIXTURE(intake_world,
                  "a task that has ended keeps neither home nor restriction") {
  options.home_of = [](const content&) {
    return std::optional<std::size_t>{3};
  };
  options.may_run_on = [](const content&) {
    return std::optional<libpool::worker_choice>{{{1, 2}, false}};
  };
  options.estimate_of = [](const content&) {
    return std::optional<libpool::duration>{5ns};
  };
  CHECK(take());
  CHECK(task.home == worker_number{3});
  CHECK(task.estimate == libpool::duration{5});
  REQUIRE(task.where != nullptr);
  CHECK(task.where->only
        == std::vector<worker_number>{worker_number{1}, worker_number{2}});
  intake().forget(task);
  CHECK(!task.home);
  CHECK(!task.estimate);
  CHECK(task.where == nullptr);
}

TEST_CASE_FIXTURE(intake_world, "tasks that may run on the same workers share "
                                "one object for the set of workers") {
  options.may_run_on = [](const content&) {
    return std::optional<libpool::worker_choice>{{{1, 2}, false}};
  };
  managed_task other;
  CHECK(take());
  intake().load(other, message());
  CHECK(intake().prepare(other, instant{1s}) == libpool::errc{});
  CHECK(task.where == other.where);
  intake().forget(task);
  CHECK(other.where->only.size() == 2); // still there
  intake().forget(other);
}

TEST_CASE("a pool with nodes shows contents to each function of the user") {
  auto seen = 0;
  auto seeing = [&seen](auto result) {
    return [&seen, result](const content& shown) {
      if (shown.match_elements<int>())
        seen = shown.get_as<int>(0);
      return result;
    };
  };
  using setup = libpool::managed_setup;
  const std::vector<std::function<void(setup&)>> all{
    [=](auto& o) { o.nodes->wants_of = seeing(libpool::node_wants{}); },
    [=](auto& o) { o.kind_of = seeing(std::uint64_t{1}); },
    [=](auto& o) { o.priority_of = seeing(std::int64_t{1}); },
    [=](auto& o) { o.key_of = seeing(std::optional<std::uint64_t>{}); },
    [=](auto& o) { o.flow_of = seeing(libpool::flow_key{1}); },
    [=](auto& o) { o.width_of = seeing(std::size_t{1}); },
    [=](auto& o) { o.trace_of = seeing(std::string{"1"}); },
  };
  for (const auto& set : all) {
    CAPTURE(&set - all.data());
    intake_world w;
    w.options.nodes.emplace();
    set(w.options);
    w.intake().begin(false);
    seen = 0;
    CHECK(w.take());
    CHECK(seen == 42);
    w.intake().forget(w.task);
  }
}

TEST_CASE_FIXTURE(fair_world,
                  "the default flow of a message is that of its sender") {
  CHECK(take());
  CHECK(task.flow.name() == std::to_string(client.handle->id()));
}

TEST_CASE_FIXTURE(fair_world,
                  "a task that has ended has neither flow nor width") {
  options.flow_of = [](const content&) { return libpool::flow_key{"a"}; };
  options.width_of = [](const content&) { return std::size_t{3}; };
  CHECK(take());
  CHECK(task.flow.name() == "a");
  CHECK(task.width == 3);
  intake().forget(task);
  CHECK(task.flow.name().empty());
  CHECK(task.width == 1);
}
