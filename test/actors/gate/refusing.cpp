/// What does not go through the handle of `submit_only`.

#include "gated_world.hpp"
#include "support/managed_world.hpp"

namespace gate_refusing_tests {

using caf::sys_atom;
using libpool::actor_pool;
using libpool::errc;
using test::gated_world;

namespace {

struct world : gated_world {
  /// Asks through the gate for what is no work, and sends it as well.
  template <class... Ts>
  void check_refused(Ts... content) {
    auto refused = counts().refused;
    auto answer = client.ask(gate, content...);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::not_work);
    auto before = client.received();
    client.send(gate, content...);
    caf::anon_send(gate, content...);
    run();
    CHECK(client.received() == before);
    CHECK(counts().refused == refused + 3);
    CHECK(counts().passed == 0);
    CHECK(handled() == 0);
    CHECK(has_workers());
    CHECK(is_alive(gate));
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a submit_only handle refuses management requests, "
                         "and counts them as refused") {
  test::probe worker{*this};
  check_refused(sys_atom{}, caf::get_atom{});
  check_refused(sys_atom{}, caf::put_atom{}, worker.handle());
  check_refused(sys_atom{}, caf::delete_atom{}, workers[0].handle());
  check_refused(sys_atom{}, caf::delete_atom{});
  check_refused(sys_atom{}, libpool::stats_atom{});
  check_refused(sys_atom{}, libpool::drain_atom{});
  check_refused(sys_atom{}, libpool::resize_atom{}, 1);
  check_refused(sys_atom{}, libpool::resize_atom{}, std::uint64_t{1});
}

TEST_CASE_FIXTURE(world,
                  "requests that actors answer automatically are refused") {
  check_refused(sys_atom{}, caf::get_atom{}, std::string{"info"});
  check_refused(sys_atom{});
  check_refused(caf::make_error(caf::sec::runtime_error));
  check_refused(test::stream_opened_by(client.handle()));
}

TEST_CASE_FIXTURE(world, "an exit or down message that is sent to a "
                         "submit_only handle reaches neither the pool nor a "
                         "worker") {
  caf::error kill = caf::exit_reason::kill;
  check_refused(caf::exit_msg{client->address(), kill});
  check_refused(
    caf::exit_msg{client->address(), caf::exit_reason::user_shutdown});
  check_refused(caf::exit_msg{gate.address(), kill});
  check_refused(caf::exit_msg{pool.address(), kill});
  check_refused(caf::down_msg{workers[0]->address(), kill});
  check_refused(caf::down_msg{pool.address(), kill});
  // That of an actor that is linked to the handle neither.
  auto linked = system().spawn([this](caf::event_based_actor* self) {
    self->link_to(gate);
    return caf::behavior{[](int) {}};
  });
  run();
  auto before = counts().refused;
  stop(linked);
  CHECK(counts().refused == before + 1);
  CHECK(is_alive(gate));
  CHECK(has_workers());
}

TEST_CASE_FIXTURE(world,
                  "an actor that monitors a submit_only handle is notified "
                  "when the handle is closed, and the pool continues") {
  caf::scoped_actor observer{system()};
  observer->monitor(gate);
  actor_pool::close(gate);
  observer->receive([this](const caf::down_msg& message) {
    CHECK(message.source == gate.address());
  });
  CHECK(has_workers());
}

TEST_CASE_FIXTURE(
  world, "answers that are sent to a submit_only handle are discarded") {
  auto number = client.request(gate, 7);
  workers[1].send_as(caf::make_message_id(number).response_id(), gate, 666);
  CHECK(counts().refused == 1);
  CHECK_FALSE(client.answer_to(number).came());
  workers[0].answer(0, 49);
  CHECK(client.answer_to(number).get<int>() == 49);
}

TEST_CASE_FIXTURE(world, "a submit_only handle discards a message that names "
                         "the handle itself as the sender") {
  auto gate_itself = caf::actor_cast<caf::strong_actor_ptr>(gate);
  for (auto id : {caf::make_message_id(), caf::make_message_id(7)})
    caf::actor_cast<caf::abstract_actor*>(gate)->enqueue(
      libpool::make_element(gate_itself, id, 1), nullptr);
  CHECK(handled() == 0);
  CHECK(counts().passed == 0);
}

TEST_CASE_FIXTURE(test::managed_world,
                  "a managed pool refuses a submit_only handle as a worker, "
                  "and gets one answer from one inside a direct pool") {
  auto inner = actor_pool::make(system(), actor_pool::round_robin());
  auto gate = actor_pool::submit_only(inner);
  make_empty();
  CHECK(put(gate).error() == errc::untrackable_worker);
  auto between = actor_pool::make(system(), actor_pool::round_robin());
  client.put(between, gate);
  CHECK(put(between).is_empty());
  auto answer = client.ask(pool, 7);
  CHECK(answer.count == 1);
  CHECK(answer.error());
  stop(between);
  stop(inner);
}

} // namespace gate_refusing_tests
