/// Why a managed pool ends, and what it accepts until then.

#include "libpool/actors/managed/endings.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

using libpool::endings;
using libpool::when_empty;

namespace {

libpool::return_path client(std::uint64_t id) {
  return {nullptr, caf::make_message_id(id)};
}

} // namespace

TEST_CASE("a pool accepts messages until it drains or ends") {
  endings drained{when_empty::wait};
  CHECK(drained.accepts());
  drained.drain();
  CHECK(!drained.accepts());
  CHECK(!drained.has_ended());
  endings ended{when_empty::wait};
  CHECK(ended.end());
  CHECK(!ended.accepts());
  CHECK(!ended.drains());
}

TEST_CASE("a pool can be ended only once") {
  endings pool{when_empty::end};
  CHECK(pool.end());
  CHECK(!pool.end());
}

TEST_CASE("draining is complete when the last task has been settled") {
  endings pool{when_empty::wait};
  CHECK(!pool.is_drained(0, false));
  pool.drain();
  CHECK(!pool.is_drained(1, false));
  CHECK(!pool.is_drained(0, true));
  CHECK(pool.is_drained(0, false));
}

TEST_CASE("a pool is out of workers once the last worker has terminated") {
  endings pool{when_empty::end};
  CHECK(pool.is_out_of_workers(true, true));
  CHECK(!pool.is_out_of_workers(false, true)); // one is about to come
  CHECK(!pool.is_out_of_workers(true, false)); // there never was one
  CHECK(!endings{when_empty::wait}.is_out_of_workers(true, true));
}

TEST_CASE("messages in a pool without workers fail unless the option "
          "when_empty is wait") {
  endings ending{when_empty::end};
  endings waiting{when_empty::wait};
  CHECK(ending.refuses_if_alone());
  CHECK(ending.gives_up(true));
  CHECK(!ending.gives_up(false));
  CHECK(!waiting.refuses_if_alone());
  CHECK(!waiting.gives_up(true));
}

TEST_CASE("messages of a pool without workers wait until a user adds a worker "
          "if when_empty is wait") {
  endings waiting{when_empty::wait};
  CHECK(waiting.waits_in_vain(true));
  CHECK(!waiting.waits_in_vain(false));
  CHECK(!endings{when_empty::end}.waits_in_vain(true)); // gives up
  waiting.end();
  CHECK(!waiting.waits_in_vain(true));
}

TEST_CASE("a draining pool without workers fails its waiting messages") {
  endings pool{when_empty::wait};
  pool.drain();
  CHECK(pool.gives_up(true));
  CHECK(!pool.gives_up(false));
}

TEST_CASE("the clients that drain a pool are answered once") {
  endings pool{when_empty::end};
  pool.drain_for(client(1));
  pool.drain_for(client(2));
  CHECK(pool.drains());
  auto clients = pool.take_clients();
  REQUIRE(clients.size() == 2);
  CHECK(clients[0].id == caf::make_message_id(1));
  CHECK(clients[1].id == caf::make_message_id(2));
  CHECK(pool.take_clients().empty());
}

TEST_CASE("a pool reports to outer pools one place for each of its workers") {
  endings pool{when_empty::end};
  CHECK(pool.room_with(3, false).seats == 3);
  CHECK(!pool.room_with(3, false).expects_change);
}

TEST_CASE("a pool without workers reports that it expects workers, unless the "
          "pool ends because it has no workers") {
  endings ending{when_empty::end};
  CHECK(ending.room_with(0, false).expects_change);
  CHECK(!ending.room_with(0, true).expects_change);
  CHECK(endings{when_empty::wait}.room_with(0, true).expects_change);
}

TEST_CASE(
  "a pool that drains has no room, and expects a change after its end") {
  endings pool{when_empty::end};
  pool.drain();
  CHECK(pool.room_with(3, false).seats == 0);
  CHECK(!pool.room_with(3, false).expects_change);
  pool.end();
  CHECK(pool.room_with(3, false).seats == 0);
  CHECK(pool.room_with(3, false).expects_change);
}

namespace {

struct system_world : test::hand_cranked {
  void end_system() {
    caf::anon_send_exit(system().spawn_serv(), caf::exit_reason::kill);
    run();
  }

  test::stub pool{system()};
  endings watched{when_empty::end};
};

} // namespace

TEST_CASE_FIXTURE(system_world,
                  "a pool is notified of the end of the actor system") {
  watched.watch(system(), *pool);
  end_system();
  CHECK(pool->deaths == 1);
  watched.unwatch_system(*pool);
}

TEST_CASE_FIXTURE(
  system_world,
  "a pool that was unwatched is not notified of the end of the system") {
  watched.watch(system(), *pool);
  watched.unwatch_system(*pool);
  end_system();
  CHECK(pool->deaths == 0);
}
