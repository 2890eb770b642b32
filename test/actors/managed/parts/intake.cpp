/// What a managed pool keeps of a message, apart from the message itself.

#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/policies/order/fifo.hpp"
#include "libpool/policies/placement/least_used.hpp"
#include "support/hand_cranked.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace {

class deaf_owner final : public libpool::interceptor_owner {
public:
  void answered(const std::shared_ptr<libpool::reply_interceptor>&,
                libpool::execution_context*) override {
    // nop
  }
};

} // namespace

TEST_CASE_FIXTURE(test::hand_cranked,
                  "a task keeps extras if its pool tells of tasks, and none if "
                  "its message is only sent, also if it may be sent again") {
  libpool::managed_setup options;
  auto expected = true;
  SUBCASE("no") {
    expected = false;
  }
  SUBCASE("none for a retry") {
    expected = false;
    options.on_crash = libpool::retry{1};
  }
  SUBCASE("for on_settled") {
    options.on_settled = [](const libpool::settled_task&) {};
  }
  SUBCASE("for trace_of") {
    options.trace_of = [](const auto&) { return std::string{}; };
  }
  libpool::composition made;
  made.order = std::make_unique<libpool::fifo>();
  made.placement = std::make_unique<libpool::least_used>();
  libpool::dispatcher dispatcher{std::move(made), {}};
  deaf_owner owner;
  libpool::recycler recycler{nullptr};
  libpool::answers answers{nullptr, owner, recycler, options, {}};
  libpool::intake intake{system(), options, dispatcher, answers};
  intake.begin(false);
  test::probe client{*this};
  libpool::managed_task task;
  intake.load(
    task, libpool::make_element(client.pointer(), caf::make_message_id(), 1));
  CHECK(intake.prepare(task, libpool::instant{}) == libpool::errc{});
  intake.intercept(task);
  CHECK((task.notes().owned != nullptr) == expected);
}
