/// Direct pools with policies of the user's, as workers of a managed pool: the
/// policy sees the message as its client has sent it, and the managed pool is
/// told of what becomes of it.

#include "support/managed_world.hpp"
#include "support/port/elements.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace managed_functors_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::managed_world;
using test::scripted;

namespace {

using functor = std::function<void(
  caf::actor_system&, actor_pool::uplock&, const actor_pool::actor_vec&,
  caf::mailbox_element_ptr&, libpool::execution_context*)>;

/// Its handler throws.
constexpr auto bad = 13;

/// A managed pool whose worker is a direct pool of one worker, with a functor.
struct world : managed_world {
  caf::actor inner;
  std::vector<int> handled;

  ~world() {
    finish();
    caf::anon_send_exit(inner, caf::exit_reason::user_shutdown);
    inner = nullptr;
    run();
  }

  void make(functor how) {
    auto worker = [this] {
      return system().spawn<scripted>([this](scripted&) -> caf::behavior {
        return {[this](int x) {
          if (x == bad)
            test::crash();
          handled.push_back(x);
          return x + 1;
        }};
      });
    };
    inner = actor_pool::make(system(), 1, worker, std::move(how));
    pool = actor_pool::make(system(), actor_pool::shared_queue(options));
    put(inner);
    run();
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world, "a functor sees the client, the content and the id of each message") {
  std::vector<int> seen;
  std::vector<caf::strong_actor_ptr> senders;
  std::vector<bool> were_requests;
  make([&](auto&, auto&, auto& workers, caf::mailbox_element_ptr& element,
           auto* host) {
    auto content = test::copy_of_content(*element);
    REQUIRE(content.match_elements<int>());
    seen.push_back(content.get_as<int>(0));
    senders.push_back(element->sender);
    were_requests.push_back(element->mid.is_request());
    workers.front()->enqueue(std::move(element), host);
  });
  client.send(pool, 1);
  auto number = client.request(pool, 2);
  run();
  CHECK(seen == std::vector<int>{1, 2});
  CHECK(were_requests == std::vector<bool>{false, true});
  CHECK(senders.at(1)
        == caf::actor_cast<caf::strong_actor_ptr>(client.handle()));
  CHECK(handled == seen);
  CHECK(client.answer_to(number).get<int>() == 3);
  CHECK(books().completed == 2);
  senders.clear();
}

TEST_CASE_FIXTURE(world, "a message that a policy functor forwards is open "
                         "until its handler has ended, and its client gets one "
                         "answer even if the handler throws") {
  make([](auto&, auto&, auto& workers, auto& element, auto* host) {
    workers.front()->enqueue(std::move(element), host);
  });
  client.send(pool, 1);
  CHECK(books().open() == 1);
  CHECK(fates.empty());
  run();
  CHECK(books().completed == 1);
  auto answer = client.ask(pool, bad);
  CHECK(answer.count == 1);
  CHECK(answer.error());
  CHECK(books().failed == (test::functors_tell_ends ? 1 : 0));
}

TEST_CASE_FIXTURE(
  world,
  "a message that a policy functor drops does not remain open in the pool") {
  make([](auto&, auto&, auto&, auto& element, auto*) { element = nullptr; });
  client.send(pool, 1);
  run();
  CHECK(books().open() == 0);
  CHECK(handled.empty());
  CHECK(fates.size() == 1);
}

TEST_CASE_FIXTURE(world, "a client is answered once if a policy functor throws "
                         "before or after taking the message") {
  auto takes = false;
  make([&](auto&, auto&, auto&, auto& element, auto*) {
    auto taken = takes ? std::move(element) : nullptr;
    throw std::runtime_error{"no way"};
  });
  for (auto each : {false, true}) {
    takes = each;
    CAPTURE(takes);
    auto answer = client.ask(pool, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::policy_failed);
    CHECK(fates.back().how == outcome::cancelled);
    CHECK(fates.back().reason == errc::policy_failed);
  }
  CHECK(books().open() == 0);
  CHECK(handled.empty());
}

} // namespace managed_functors_tests
