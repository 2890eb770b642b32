/// A distributed pool and its nodes together, and nodes that say unexpected
/// things.

#include "libpool/pool.hpp"
#include "support/brittle.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace actors_nodes_distributed_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::nodes_world;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : nodes_world {
  static scripted::script measuring() {
    return [](scripted&) -> caf::behavior {
      return {[](const std::string& x) { return static_cast<int>(x.size()); }};
    };
  }
};

/// A node of one session after the other, that the test plays.
/// One direction of a line that carries small message batches only.
class narrow_line final : public libpool::transport {
public:
  static constexpr std::size_t limit = 4096;

  narrow_line(std::shared_ptr<libpool::transport_user> to, std::string from)
    : to_(std::move(to)), from_(std::move(from)) {
    // nop
  }

  void say(const std::string&, std::string_view message) override {
    CHECK(message.size() <= limit);
    to_->heard(from_, test::node_line::owned(std::string{message}));
  }

  std::size_t most_bytes() const noexcept override {
    return limit;
  }

private:
  const std::shared_ptr<libpool::transport_user> to_;
  const std::string from_;
};

class raw_node final : public libpool::transport_user {
public:
  explicit raw_node(nodes_world& in) : world_(in) {
    // nop
  }

  static std::shared_ptr<raw_node> of(nodes_world& in) {
    auto result = std::make_shared<raw_node>(in);
    result->line_ = libpool::detail::connect_node(in.pool, result);
    return result;
  }

  /// A node at a narrow line.
  static std::shared_ptr<raw_node> far_off(nodes_world& in) {
    auto result = std::make_shared<raw_node>(in);
    libpool::detail::serve_nodes(
      in.pool, [&](const std::shared_ptr<libpool::transport_user>& user) {
        result->line_ = std::make_shared<narrow_line>(user, "raw");
        user->came_up();
        return std::make_shared<narrow_line>(result, "");
      });
    in.run();
    return result;
  }

  void heard(const std::string&, libpool::received_bytes message) override {
    last = message.bytes;
  }

  void came_up() override {
    // nop
  }

  void went_down(const std::string&) override {
    // nop
  }

  void closed() override {
    line_ = nullptr;
  }

  void say_hello(std::uint64_t run, const std::string& name,
                 std::uint64_t turn = 0,
                 libpool::protocol_range speaks = libpool::spoken_protocols) {
    libpool::introduction who;
    who.speaks = speaks;
    who.name = name;
    say(libpool::envelope{},
        libpool::bytes_of(libpool::hello{libpool::incarnation{run}, 1, turn},
                          who));
  }

  void say_ready(std::uint64_t epoch, std::uint64_t session) {
    libpool::worker_number number{session};
    say({epoch, {1, 0, true, false}}, libpool::bytes_of(libpool::batch_to_pool{
                                        number, libpool::ready{number}}));
  }

  void say(const libpool::envelope& head, const std::string& batch) {
    line_->say({}, libpool::bytes_of(head) + batch);
    world_.run();
  }

  /// Of the pool, as it said last.
  std::uint64_t epoch() const {
    return libpool::open_envelope(last)->head.epoch;
  }

  libpool::read_by_node read() const {
    return *libpool::read_batch_to_node(libpool::open_envelope(last)->batch);
  }

  std::string last; // message of the pool

private:
  nodes_world& world_;
  std::shared_ptr<libpool::transport> line_;
};

} // namespace

TEST_CASE_FIXTURE(world, "messages to a distributed pool wait until its first "
                         "node joins, are answered by the node, and complete "
                         "when their handlers have ended") {
  make();
  auto request = client.request(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(!client.answer_to(request).came());
  join(adding());
  CHECK(client.answer_to(request).get<int>() == 2);
  CHECK(handled == std::vector<int>{1, 2});
  CHECK(count(outcome::completed) == 2);
}

TEST_CASE_FIXTURE(world, "a recording of a distributed pool has the kinds of "
                         "messages, if an option looks at messages") {
  make(); // with on_settled
  actor_pool::record(pool, {1h});
  auto request = client.request(pool, 1);
  join(adding());
  CHECK(client.answer_to(request).get<int>() == 2);
  auto all = actor_pool::recorded(pool);
  REQUIRE(all.runs.size() == 1);
  const auto& kind = all.kinds[all.runs[0].kind];
  CAPTURE(kind);
  CHECK((kind == "i32" || kind == "int32_t")); // by the CAF
}

TEST_CASE_FIXTURE(world, "after the lease of a killed node, its started tasks "
                         "fail and waiting tasks go to another node") {
  options.window = 1;
  begin(promising());
  auto requests = request_all(0, 4);
  kill_node(0);
  wait(3900ms);
  CHECK(count(outcome::failed) == 0);
  CHECK(!client.answer_to(requests[0]).came());
  wait(1100ms);
  auto lost = count(outcome::failed);
  CHECK(lost >= 1);
  CHECK(lost <= 2); // the window of a node of one slot
  CHECK(client.answer_to(requests[0]).error() == errc::node_lost);
  join(adding());
  CHECK(count(outcome::completed) == 5 - lost);
  CHECK(client.answer_to(requests[4]).get<int>() == 5);
}

TEST_CASE_FIXTURE(
  world,
  "with retries, tasks of a killed node run again only after its lease") {
  options.on_crash = libpool::retry{1};
  unsigned crashes = 0; // of the task that was settled last
  on_settled = [&](const libpool::settled_task& task) {
    crashes = task.crashes;
  };
  begin(promising());
  auto request = submit(1);
  kill_node(0);
  join(adding());
  wait(3900ms);
  CHECK(handled.empty());
  CHECK(!client.answer_to(request).came());
  wait(1100ms);
  CHECK(client.answer_to(request).get<int>() == 2);
  CHECK(count(outcome::completed) == 1);
  CHECK(crashes == 1);
}

TEST_CASE_FIXTURE(world, "a node that leaves completes its started tasks, and "
                         "gives back all other tasks") {
  begin(promising());
  auto requests = request_all(0, 2);
  leave(0);
  CHECK(!has_ended(0));
  join(adding());
  let_travel();
  CHECK(handled.size() == 2);
  deliver(0, 42);
  CHECK(client.answer_to(requests[0]).get<int>() == 42);
  CHECK(has_ended(0));
  CHECK(count(outcome::completed) == 3);
}

TEST_CASE_FIXTURE(
  world, "a node keeps its session while a task runs longer than a lease") {
  begin(promising());
  auto request = submit(1);
  auto session = state(0).session;
  wait(20s);
  CHECK(!client.answer_to(request).came());
  CHECK(state(0).session == session);
  deliver(0, 7);
  CHECK(client.answer_to(request).get<int>() == 7);
}

TEST_CASE_FIXTURE(world,
                  "a distributed pool that drains ends with its last task") {
  begin(promising());
  auto request = submit(1);
  actor_pool::drain(pool);
  run();
  CHECK(!client.answer_to(request).came());
  deliver(0, 7);
  CHECK(client.answer_to(request).get<int>() == 7);
  CHECK(libpool::is_dead(libpool::actor_behind(pool)));
}

TEST_CASE_FIXTURE(
  world,
  "a distributed pool refuses messages that exceed its capacity in bytes") {
  how.capacity_bytes = 1000;
  make();
  std::string large(600, 'x');
  submit(large);
  CHECK(client.ask(pool, large).error() == errc::queue_full);
  CHECK(count(outcome::refused) == 1);
  join(measuring());
  for (auto i = 0; i < 10; ++i) // each counts until it is settled
    CHECK(client.ask(pool, large).get<int>() == 600);
}

TEST_CASE_FIXTURE(world, "an empty distributed pool that refuses messages "
                         "accepts them when a node joins") {
  options.when_empty = libpool::when_empty::refuse;
  make();
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
  join(adding());
  CHECK(client.ask(pool, 1).get<int>() == 2);
  lose_node(0);
  CHECK(client.ask(pool, 1).error() == errc::no_workers);
  join(adding());
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(world,
                  "workers of the pool's own program serve beside nodes") {
  options.on_crash = libpool::retry{1};
  begin(promising());
  auto at_node = submit(1);
  put(system().spawn<scripted>(adding()));
  run();
  lose_node(0);
  CHECK(client.answer_to(at_node).get<int>() == 2);
  CHECK(client.ask(pool, 2).get<int>() == 3);
  CHECK(handled == std::vector<int>{1, 2});
}

TEST_CASE_FIXTURE(world, "a distributed pool can be a worker of a pool") {
  begin(adding());
  auto outer = actor_pool::make(system(), actor_pool::shared_queue());
  client.ask(outer, caf::sys_atom{}, caf::put_atom{}, pool);
  CHECK(client.ask(outer, 1).get<int>() == 2);
  lose_node(0);
  join(promising());
  auto lost = client.request(outer, 2);
  run();
  lose_node(1);
  CHECK(client.answer_to(lost).error() == errc::node_lost);
  CHECK(actor_pool::stats(outer).tasks.failed == 1);
  caf::anon_send_exit(outer, caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "messages that arrive while the pool is busy count "
                         "against the byte capacity") {
  how.capacity_bytes = 1000;
  auto noted = options.on_settled;
  options.on_settled = [&](const libpool::settled_task& task) {
    noted(task);
    if (task.number == 1)
      for (auto each : {'a', 'b', 'c'})
        client.request(pool, std::string(400, each));
  };
  make();
  submit(std::string(400, 'x'));
  join(measuring());
  run();
  CHECK(count(outcome::completed) == 3);
  CHECK(count(outcome::refused) == 1);
}

TEST_CASE_FIXTURE(
  world, "functions of the user see messages for nodes as they were sent") {
  options.may_run_on = [](const libpool::message_content& content) {
    CHECK(content.match_elements<int>());
    return std::optional<libpool::worker_choice>{};
  };
  begin(adding());
  CHECK(client.ask(pool, 1).get<int>() == 2);
}

TEST_CASE_FIXTURE(
  world, "on_refused gets a message for nodes with its original content") {
  how.capacity_bytes = 100;
  std::vector<std::string> refused;
  libpool::pool_options told;
  told.on_refused = [&](libpool::refusal& each) {
    REQUIRE(each.content.match_elements<std::string>());
    refused.push_back(each.content.get_as<std::string>(0));
  };
  pool = actor_pool::make(
    system(), actor_pool::distributed(how, actor_pool::shared_queue(options)),
    told);
  client.send(pool, std::string(90, 'a'));
  client.send(pool, std::string(90, 'b'));
  run();
  CHECK(refused == std::vector<std::string>{std::string(90, 'b')});
  join(measuring());
}

TEST_CASE_FIXTURE(world, "a message whose content cannot be copied is refused, "
                         "and the pool continues") {
  begin(adding());
  auto message = caf::make_message(test::brittle{1});
  test::brittle::breaks = true;
  auto refused = client.ask(pool, std::move(message)).error();
  test::brittle::breaks = false;
  // CAF 1 does not copy it, and cannot write it either.
  CHECK((refused == errc::policy_failed || refused == errc::not_serializable));
  CHECK(client.ask(pool, 1).get<int>() == 2);
  test::brittle::breaks = false;
}

TEST_CASE_FIXTURE(
  world, "a lost node counts as crashed, and a node that leaves as ended") {
  make();
  for (auto i = 0; i < 3; ++i)
    join(adding());
  lose_node(0);
  CHECK(stats().departed.crashed == 1);
  CHECK(stats().departed.ended == 0);
  leave(1);
  CHECK(stats().departed.ended == 1);
  cut(2);
  await_losses();
  CHECK(stats().departed.crashed == 2);
  CHECK(stats().departed.ended == 1);
}

TEST_CASE_FIXTURE(
  world,
  "join_pool accepts the function of a worker and the handle of the pool") {
  make();
  offer.slots = 1;
  agents.push_back(libpool::join_pool(
    system(), pool, offer, [](caf::event_based_actor*) -> caf::behavior {
      return {[](int x) { return x + 1; }};
    }));
  run();
  CHECK(client.ask(pool, 1).get<int>() == 2);
  SUBCASE("and ends with the pool, as an agent that joins later") {
    end_pool();
    lines.emplace_back();
    join(adding());
    for (auto i : {0U, 1U})
      CHECK(why_ended(i) == errc::pool_closed);
  }
  SUBCASE("and serves until it leaves") {
    leave(0);
    CHECK(has_ended(0));
    CHECK(libpool::nodes_of(pool).nodes.empty());
  }
}

TEST_CASE_FIXTURE(
  world, "is_distributed distinguishes a distributed pool from other actors") {
  begin(adding());
  CHECK(libpool::is_distributed(pool));
  CHECK(!libpool::is_distributed(agents.at(0)));
  CHECK(!libpool::is_distributed(client.handle()));
  CHECK(!libpool::is_distributed(caf::actor{}));
}

// -- unexpected messages ------------------------------------------------------

TEST_CASE_FIXTURE(world, "a client stays with the later of two fronts that "
                         "both call it, until the later one is lost") {
  make();
  auto front = raw_node::of(*this);
  auto sessions = 0U;
  auto take_turn = [&](std::uint64_t run, std::uint64_t turn) {
    auto before = std::exchange(front->last, {});
    front->say_hello(run, "front", turn);
    auto is_welcome = !front->last.empty();
    if (is_welcome)
      front->say_ready(front->epoch(), ++sessions);
    else
      front->last = before;
    return is_welcome;
  };
  CHECK(take_turn(1, 5));
  CHECK(take_turn(2, 6));
  CHECK(!take_turn(1, 5));
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
  await_losses();
  CHECK(libpool::nodes_of(pool).nodes.empty());
  CHECK(take_turn(1, 5));
}

TEST_CASE_FIXTURE(world,
                  "a pool ignores messages of another epoch, and answers a "
                  "beat of another epoch by ending the session") {
  make();
  auto node = raw_node::of(*this);
  node->say_hello(1, "first");
  auto epoch = node->epoch();
  node->say_ready(epoch - 1, 1);
  node->say_ready(epoch + 1, 1);
  CHECK(libpool::nodes_of(pool).nodes.empty());
  CHECK(libpool::nodes_of(pool).strays == 2);
  const libpool::worker_number first{1};
  node->say({epoch - 1, {}}, libpool::bytes_of(libpool::batch_to_pool{
                               first, libpool::beat{first, {}}}));
  CHECK(std::holds_alternative<libpool::gone>(node->read().batch.content));
  node->say_ready(epoch, 1);
  CHECK(libpool::nodes_of(pool).nodes.size() == 1);
}

TEST_CASE_FIXTURE(world, "a pool rejects a node with which it has no protocol "
                         "version in common") {
  make();
  auto node = raw_node::of(*this);
  auto later = libpool::spoken_protocols.newest + 1;
  node->say_hello(1, "of tomorrow", 0, {later, later});
  CHECK(node->read().rejected == libpool::rejection::protocol);
  CHECK(libpool::nodes_of(pool).turned_away == 1);
}

TEST_CASE_FIXTURE(world, "a node is told which handlers to stop") {
  options.id_of = libpool::flow_by<int>([](int x) { return x; });
  make();
  auto node = raw_node::of(*this);
  node->say_hello(1, "node");
  node->say_ready(node->epoch(), 1);
  const libpool::worker_number session{1};
  node->say({node->epoch(), {2, 0, true, false}},
            libpool::bytes_of(
              libpool::batch_to_pool{session, libpool::demand{1, 1, {}, {}}}));
  submit(7);
  auto sent = node->read().batch.content;
  REQUIRE(std::holds_alternative<libpool::tasks_sent>(sent));
  auto task = std::get<libpool::tasks_sent>(sent).tasks;
  actor_pool::cancel(pool, libpool::selection::of_id("7"));
  run();
  auto told = node->read().batch.content;
  REQUIRE(std::holds_alternative<libpool::cancel_tasks>(told));
  CHECK(std::get<libpool::cancel_tasks>(told).tasks == task);
  await_losses();
}

TEST_CASE_FIXTURE(world, "a time limit counts from the start of the handler, "
                         "for which the node is asked") {
  options.time_limit = 2s;
  make();
  auto node = raw_node::of(*this);
  node->say_hello(1, "node");
  node->say_ready(node->epoch(), 1);
  const libpool::worker_number session{1};
  auto tell = [&](std::uint64_t number, auto content) {
    node->say({node->epoch(), {number, 0, true, false}},
              libpool::bytes_of(libpool::batch_to_pool{session, content}));
  };
  tell(2, libpool::demand{1, 1, {}, {}});
  auto request = submit(7);
  auto task = std::get<libpool::tasks_sent>(node->read().batch.content).tasks;
  wait(2s);
  auto content = node->read().batch.content;
  REQUIRE(std::holds_alternative<libpool::ask_begun>(content));
  CHECK(!is_answered(request));
  CHECK(std::get<libpool::ask_begun>(content).tasks == task);
  tell(3, libpool::begun{{{task.at(0), 500ms}}});
  wait(1400ms);
  CHECK(!is_answered(request));
  wait(100ms);
  CHECK(error_of(request) == errc::time_limit);
  await_losses();
}

TEST_CASE_FIXTURE(world, "a node is told what the pool knows of tasks, unless "
                         "the message batch would be too large") {
  options.id_of = libpool::flow_by<int>([](int x) { return x; });
  options.deadline = 10s;
  auto is_told = false;
  SUBCASE("of usual size") {
    is_told = true;
  }
  SUBCASE("with a trace that is too large for the line") {
    options.trace_of = [](const libpool::message_content&) {
      return std::string(narrow_line::limit, 'x');
    };
  }
  make();
  auto node = raw_node::far_off(*this);
  node->say_hello(1, "node");
  node->say_ready(node->epoch(), 1);
  node->say({node->epoch(), {2, 0, true, false}},
            libpool::bytes_of(libpool::batch_to_pool{
              libpool::worker_number{1}, libpool::demand{1, 1, {}, {}}}));
  advance(3s);
  submit(7);
  auto content = node->read().batch.content;
  REQUIRE(std::holds_alternative<libpool::tasks_sent>(content));
  const auto& sent = std::get<libpool::tasks_sent>(content);
  CHECK(sent.tasks.size() == 1);
  REQUIRE(sent.facts.size() == (is_told ? 1 : 0));
  if (is_told) {
    CHECK(sent.facts[0].number == 1);
    CHECK(sent.facts[0].attempt == 1);
    CHECK(sent.facts[0].left == 10s);
    CHECK(sent.facts[0].id == "7");
    CHECK(sent.facts[0].trace.empty());
  }
  await_losses();
}

TEST_CASE_FIXTURE(
  world, "nodes_of returns the name from the last introduction of a node") {
  make();
  auto node = raw_node::of(*this);
  for (auto run : {1U, 2U}) {
    auto name = "of run " + std::to_string(run);
    node->say_hello(run, name);
    node->say_ready(node->epoch(), run);
    REQUIRE(libpool::nodes_of(pool).nodes.size() == 1);
    CHECK(libpool::nodes_of(pool).nodes.at(0).name == name);
  }
}

} // namespace actors_nodes_distributed_tests
