/// The actors that may be workers of a managed pool, and pools in pools.

#include "support/managed_world.hpp"

#include <caf/actor_pool.hpp>
#include <caf/forwarding_actor_proxy.hpp>

namespace managed_members_tests {

using libpool::actor_pool;
using libpool::errc;
using test::managed_world;
using test::scripted;
using workers_of = std::vector<caf::actor>;

namespace {

struct world : managed_world {
  world() {
    options.when_empty = libpool::when_empty::wait;
  }

  caf::actor worker() {
    return system().spawn<scripted>(doubling());
  }

  caf::error remove(const caf::actor& actor) {
    return client.ask(pool, caf::sys_atom{}, caf::delete_atom{}, actor).error();
  }
};

class nameless : public scripted {
public:
  using scripted::scripted;
};

class named final : public nameless {
public:
  using nameless::nameless;

  const char* name() const override {
    return "squarer";
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world, "a worker is described by its number and by its name or its class") {
  make_empty();
  put(system().spawn<named>(doubling()));
  put(system().spawn<nameless>(doubling()));
  auto members = stats().members;
  REQUIRE(members.size() == 2);
  CHECK(describe(members[0]) == "worker 0 (squarer)");
  CHECK(members[1].name.find("::nameless") != std::string::npos);
  CHECK(members[1].name.find("scheduled") == std::string::npos);
  CHECK(describe(members[1]) == "worker 1 (" + members[1].name + ')');
}

// -- management ---------------------------------------------------------------

TEST_CASE_FIXTURE(world, "workers are added, listed and deleted on request") {
  make_empty();
  auto a = worker();
  auto b = worker();
  CHECK(put(a).is_empty());
  CHECK(put(b).is_empty());
  CHECK(put(a).is_empty()); // changes nothing
  CHECK(workers() == workers_of{a, b});
  CHECK(stats().members.size() == 2);
  CHECK_FALSE(remove(a));
  CHECK_FALSE(remove(a));
  CHECK(workers() == workers_of{b});
  CHECK(put(a).is_empty());
  CHECK(workers() == workers_of{b, a});
  CHECK(client.ask(pool, caf::sys_atom{}, caf::delete_atom{}).is_empty());
  CHECK(workers().empty());
  auto unharmed = client.ask(a, 1);
  CHECK(unharmed.get<int>() == 2);
  kill(a);
  kill(b);
}

TEST_CASE_FIXTURE(
  world, "a worker that is deleted while it works may be added again") {
  options.busy_until = libpool::busy_until::answer;
  make_empty();
  auto a = system().spawn<scripted>(promising());
  put(a);
  auto first = request(1);
  auto number = client.request(pool, caf::sys_atom{}, caf::delete_atom{}, a);
  CHECK(put(a).is_empty());
  CHECK(workers() == workers_of{a});
  auto second = request(2);
  CHECK(promises.size() == 2);
  deliver(1, 4);
  CHECK(result_of(second) == 4);
  CHECK_FALSE(is_answered(number));
  deliver(0, 2);
  CHECK(result_of(first) == 2);
  CHECK(client.answer_to(number).is_empty());
}

TEST_CASE_FIXTURE(
  world, "DELETE of all is answered when all workers have ended their tasks, "
         "and they are leaving until then") {
  options.busy_until = libpool::busy_until::answer;
  populate(2, promising());
  auto ws = workers();
  client.request(pool, 1);
  client.request(pool, 2);
  run();
  auto are_leaving = [this](bool leaving) {
    for (const auto& each : stats().members)
      CHECK(each.is_leaving == leaving);
    return stats().members.size();
  };
  CHECK(are_leaving(false) == 2);
  auto number = client.request(pool, caf::sys_atom{}, caf::delete_atom{});
  CHECK(are_leaving(true) == 2);
  deliver(0, 1);
  CHECK_FALSE(is_answered(number));
  deliver(1, 1);
  CHECK(client.answer_to(number).is_empty());
  CHECK(client.answer_to(number).count == 1);
  for (auto& each : ws)
    kill(each);
}

// -- actors that cannot be workers --------------------------------------------

TEST_CASE_FIXTURE(world,
                  "the refusal of a remote worker states the alternative") {
  make_empty();
  auto local = worker();
  caf::actor_config cfg;
  auto node = *caf::make_node_id(4711, std::string(40, 'A'));
  auto remote = caf::make_actor<caf::forwarding_actor_proxy, caf::actor>(
    caf::actor_id{17}, node, &system(), cfg, local);
  auto why = put(remote).error();
  CHECK(why == errc::untrackable_worker);
  CHECK(libpool::render(why, system())
        == "libpool: the tasks of the worker cannot be tracked: remote actor "
           "17 of node "
             + to_string(node)
             + " can only be a worker of a direct pool: use a policy of direct "
               "pools such as round_robin, or spawn a managed pool on that "
               "node and send messages to it");
}

TEST_CASE_FIXTURE(world,
                  "actors that cannot be tracked are refused as workers") {
  make_empty();
  auto f = worker();
  auto g = worker();
  auto of_caf = test::pool_of_caf(
    system(), 1, [this] { return worker(); }, caf::actor_pool::round_robin());
  test::probe stranger{*this};
  auto strangers = test::composed_of(f, g);
  strangers.insert(strangers.end(), {of_caf, stranger.handle()});
  for (auto& each : strangers)
    CHECK(put(each).error() == errc::untrackable_worker);
  CHECK(put(caf::actor{}).error() == errc::worker_down);
  CHECK(put(pool).error() == errc::cycle);
  CHECK(stats().workers == 0);
  auto dead = worker();
  kill(dead);
  run();
  CHECK(put(dead).error() == errc::worker_down);
  CHECK_THROWS_AS(libpool::spawn_pool(system(), std::size_t{1},
                                      [&] { return stranger.handle(); }),
                  std::invalid_argument);
  kill(f);
  kill(g);
  kill(of_caf);
}

TEST_CASE_FIXTURE(world,
                  "a managed pool refuses requests that open a CAF stream") {
  populate(1, doubling());
  CHECK(error_of(request(test::stream_opened_by(client.handle())))
        == errc::no_streams);
  CHECK(books().refused == 1);
  CHECK(doubled.empty());
}

// -- pools in pools -----------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "a task that an inner pool has started when it is killed fails once") {
  libpool::managed_options answering;
  answering.busy_until = libpool::busy_until::answer;
  auto inner = libpool::spawn_pool(system(), answering, [this] {
    return system().spawn<scripted>(promising());
  });
  populate_by(1, [inner] { return inner; });
  auto number = request(1);
  REQUIRE(promises.size() >= 1);
  CHECK_FALSE(is_answered(number));
  kill(inner);
  run();
  promises.clear();
  run();
  CHECK(error_of(number));
  CHECK(books().completed == 0);
  CHECK(books().failed == 1);
}

TEST_CASE_FIXTURE(
  world,
  "managed pools that contain each other refuse messages that come back, and "
  "a pool that contains the other one is one seat of it") {
  make_empty();
  options.on_settled = nullptr;
  auto other = actor_pool::make(system(), actor_pool::shared_queue(options));
  CHECK(put(other).is_empty());
  CHECK(client.ask(other, caf::sys_atom{}, caf::put_atom{}, pool).is_empty());
  auto number = client.request(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(error_of(number) == errc::cycle);
  std::vector<caf::actor> more{worker(), worker()};
  for (auto& each : more)
    CHECK(put(each).is_empty());
  CHECK(stats().slots == 3);
  CHECK(actor_pool::stats(other).slots == 1);
  client.ask(other, caf::sys_atom{}, caf::delete_atom{});
  CHECK(actor_pool::stats(other).tasks.open() == 0);
  CHECK(stats().refused == 2);
  for (auto& each : more)
    kill(each);
}

TEST_CASE_FIXTURE(
  world,
  "a managed pool refuses messages that come back through a direct pool") {
  make_empty();
  auto direct = actor_pool::make(system(), actor_pool::round_robin());
  caf::actor between;
  SUBCASE("its worker") {
    put(direct);
  }
  SUBCASE("the worker of its worker") {
    options.on_settled = nullptr;
    between = actor_pool::make(
      system(), 1, [=] { return direct; }, actor_pool::shared_queue(options));
    put(between);
  }
  client.ask(direct, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(error_of(request(1)) == errc::cycle);
  CHECK(books().open() == 0);
  client.ask(direct, caf::sys_atom{}, caf::delete_atom{});
  if (between)
    client.ask(between, caf::sys_atom{}, caf::delete_atom{});
}

} // namespace managed_members_tests
