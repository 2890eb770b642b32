/// Real threads, few and bounded by counts. Races may end in any way; every
/// request is answered exactly once, and no thread touches a destroyed object
/// (run these under the sanitizers).

#include "in_threads.hpp"
#include "libpool/pool.hpp"
#include "support/config.hpp"
#include "support/port/policy_for_caf.hpp"
#include "support/probe.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

using libpool::actor_pool;
using libpool::errc;
using test::doubler;
using test::in_threads;

namespace {

struct world {
  test::config config;
  caf::actor_system system{config};

  caf::actor spawn() {
    return system.spawn<doubler>();
  }

  std::function<caf::actor()> factory() {
    return [this] { return spawn(); };
  }
};

struct tally {
  std::atomic<std::size_t> answered{0};
  std::atomic<std::size_t> refused{0};
  std::atomic<std::size_t> wrong{0};

  std::size_t total() const {
    return answered + refused + wrong;
  }
};

/// Sends `n` requests, some at a time, and counts the answers.
void ask(caf::actor_system& system, const caf::actor& pool, int n, tally& to) {
  caf::scoped_actor self{system};
  for (auto i = 0; i < n; ++i)
    self->request(pool, caf::infinite, i)
      .receive([&](int x) { ++(x == 2 * i ? to.answered : to.wrong); },
               [&](const caf::error& err) {
                 auto expected = err == errc::no_workers
                                 || err == caf::sec::request_receiver_down;
                 ++(expected ? to.refused : to.wrong);
               });
}

enum class change { replaced, killed };

/// Two threads do the work, while a third one adds workers and takes them out
/// alive, or kills them.
void in_change(world& w, const caf::actor& pool, change how,
               const std::function<void()>& work) {
  std::atomic<int> at_work{2};
  in_threads(3, [&](unsigned me) {
    if (me < 2) {
      work();
      --at_work;
      return;
    }
    caf::scoped_actor self{w.system};
    while (at_work > 0) {
      auto worker = w.spawn();
      caf::anon_send(pool, caf::sys_atom{}, caf::put_atom{}, worker);
      if (how == change::replaced)
        caf::anon_send(pool, caf::sys_atom{}, caf::delete_atom{}, worker);
      caf::anon_send_exit(worker, how == change::replaced
                                    ? caf::exit_reason::user_shutdown
                                    : caf::exit_reason::kill);
      self->wait_for(worker); // or the scheduler's queue would grow and grow
    }
  });
}

void end(const caf::actor& pool) {
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace

TEST_CASE("requests of two threads are all answered while workers come and go, "
          "or terminate") {
  world w;
  constexpr auto requests = 5'000;
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1),
                    actor_pool::broadcast()})
    for (auto changes : {change::replaced, change::killed}) {
      auto pool = actor_pool::make(w.system, 2, w.factory(), how);
      tally counts;
      in_change(w, pool, changes,
                [&] { ask(w.system, pool, requests, counts); });
      CHECK(counts.wrong == 0);
      CHECK(counts.total() == 2 * requests);
      if (changes == change::replaced)
        CHECK(actor_pool::stats(pool).workers == 2);
      end(pool);
    }
}

TEST_CASE("requests of two threads are all answered while the pool ends") {
  world w;
  for (auto round = 0; round < 100; ++round) {
    auto pool = actor_pool::make(w.system, 3, w.factory(),
                                 actor_pool::round_robin());
    tally counts;
    in_threads(2, [&](unsigned me) {
      ask(w.system, pool, me == 0 ? 50 : 25, counts);
      if (me == 1)
        end(pool);
    });
    REQUIRE(counts.wrong == 0);
    REQUIRE(counts.total() == 75);
  }
}

TEST_CASE(
  "a pool can be used and ended after its last worker ends while another "
  "worker joins") {
  world w;
  for (auto round = 0; round < 300; ++round) {
    auto only = w.spawn();
    auto pool = actor_pool::make(
      w.system, 1, [&] { return only; }, actor_pool::round_robin());
    auto late = w.spawn();
    in_threads(2, [&](unsigned me) {
      if (me == 0)
        caf::anon_send_exit(only, caf::exit_reason::kill);
      else
        caf::anon_send(pool, caf::sys_atom{}, caf::put_atom{}, late);
    });
    end(pool);
    caf::anon_send_exit(late, caf::exit_reason::kill);
  }
}

TEST_CASE("functors with an upgraded guard exclude each other while workers "
          "join and leave") {
  world w;
  constexpr auto messages = 20'000;
  std::size_t dispatched = 0; // plain, on purpose: the guard protects it
  std::atomic<std::size_t> kept{0};
  std::atomic<std::size_t> shrank{0};
  caf::actor pool;
  auto functor = [&](caf::actor_system&, actor_pool::uplock& guard,
                     const actor_pool::actor_vec& workers,
                     caf::mailbox_element_ptr& element,
                     libpool::execution_context* host) {
    auto before = workers.size();
    auto n = libpool::content_of(*element).get_as<int>(0);
    if (n % 8 == 0) // comes back to the pool, under the guard
      caf::anon_send(pool, n + 1);
    if (guard.upgrade())
      ++kept;
    ++dispatched;
    if (workers.size() != before)
      ++shrank;
    auto& worker = workers[dispatched % workers.size()];
    guard.unlock();
    worker->enqueue(std::move(element), host);
  };
  pool = actor_pool::make(w.system, 4, w.factory(), functor);
  in_change(w, pool, change::replaced, [&] {
    for (auto i = 0; i < messages; ++i)
      caf::anon_send(pool, i);
  });
  CHECK(dispatched == 2 * (messages + messages / 8));
  CHECK(kept > 0);
  CHECK(shrank == 0);
  end(pool);
}

TEST_CASE("calls of a policy that was written for CAF exclude each other") {
  world w;
  constexpr auto messages = 20'000;
  std::size_t dispatched = 0; // plain, on purpose
  auto pool = actor_pool::make(
    w.system, 4, w.factory(),
    test::policy_for_caf([&](const auto& workers) -> const caf::actor& {
      return workers[++dispatched % workers.size()];
    }));
  in_threads(2, [&](unsigned) {
    for (auto i = 0; i < messages; ++i)
      caf::anon_send(pool, i);
  });
  CHECK(dispatched == 2 * messages);
  end(pool);
}

TEST_CASE("requests to split_join are all answered while workers terminate") {
  world w;
  auto sum = [](int& to, caf::message& x) { to += x.get_as<int>(0); };
  auto pool = actor_pool::make(w.system, 3, w.factory(),
                               actor_pool::split_join<int>(sum));
  constexpr auto requests = 2'000;
  std::atomic<int> joined{0};
  std::atomic<int> failed{0};
  in_change(w, pool, change::killed, [&] {
    caf::scoped_actor self{w.system};
    for (auto i = 1; i <= requests; ++i)
      self->request(pool, caf::infinite, i)
        .receive(
          [&](int x) {
            // Three workers stay; workers that die may answer before they do.
            CHECK(x % (2 * i) == 0);
            CHECK(x >= 3 * 2 * i);
            ++joined;
          },
          [&](const caf::error& err) {
            CHECK((err == errc::worker_failed || err == errc::worker_crashed));
            ++failed;
          });
  });
  CHECK(joined + failed == 2 * requests);
  end(pool);
}
