#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/actors/nodes/task_result.hpp"
#include "libpool/nodes/batch_bytes.hpp"
#include "libpool/nodes/envelope.hpp"
#include "libpool/nodes/session_stream.hpp"
#include "libpool/nodes/transport.hpp"
#include "support/batch_words.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace test {

/// Transport of an agent that keeps the agent's messages.
class recording_line final : public libpool::transport {
public:
  void say(const std::string&, std::string_view message) override {
    ++said;
    if (is_up)
      inbox.emplace_back(message);
  }

  std::size_t most_bytes() const noexcept override {
    return std::numeric_limits<std::size_t>::max();
  }

  bool is_up = true;
  std::size_t said = 0; // also while the line was down
  std::deque<std::string> inbox;
};

/// A node's agent with its local pool. The test plays the distributed pool and
/// the line to it. The destructor ends the agent.
class agent_world : public managed_world {
public:
  static constexpr libpool::duration lease = std::chrono::seconds{4};

  /// Result of a task, as the distributed pool gets it.
  struct result {
    libpool::ending how;
    std::variant<caf::message, caf::error> content;

    caf::error error() const {
      auto* why = std::get_if<caf::error>(&content);
      return why != nullptr ? *why : caf::error{};
    }

    int number() const {
      auto* answer = std::get_if<caf::message>(&content);
      return answer != nullptr && answer->match_elements<int>()
               ? answer->get_as<int>(0)
               : 0;
    }
  };

  explicit agent_world(std::uint64_t seed = 0) : managed_world(seed) {
    join.slots = 2;
  }

  ~agent_world() {
    run();
    promises.clear();
    run();
    end_agent();
  }

  // -- the node ---------------------------------------------------------------

  void spawn_by(const std::function<caf::actor()>& factory) {
    libpool::detail::front_access access;
    access.open = [this](std::shared_ptr<libpool::transport_user> user) {
      return open(std::move(user));
    };
    access.now = [this] { return now(); };
    access.run = libpool::incarnation{7};
    agent = libpool::detail::join_pool(system(), access, join, factory);
    run();
  }

  void spawn(const scripted::script& script) {
    spawn_by([this, script] { return system().spawn<scripted>(script); });
  }

  /// Spawns an agent, and lets its node join the pool.
  void serve(const scripted::script& script) {
    spawn(script);
    welcome();
    heard();
  }

  scripted::script idle() {
    return [](scripted&) -> caf::behavior { return {[](int) {}}; };
  }

  libpool::instant now() {
    return system().clock().now() + slept;
  }

  libpool::agent_state state() const {
    return libpool::agent_stats(agent);
  }

  bool has_ended() const {
    return libpool::is_dead(libpool::actor_behind(agent));
  }

  /// Returns why the agent has ended.
  caf::error ended() const {
    return libpool::fail_state_of(libpool::actor_behind(agent));
  }

  void end_agent() {
    if (!agent)
      return;
    exit(agent, caf::exit_reason::kill);
    run();
    CHECK(has_ended());
    CHECK(line.use_count() == 1); // the agent has closed the line
    caf::actor_addr address = agent.address();
    agent = nullptr;
    client->inbox.clear();
    run();
    CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
  }

  // -- the line ---------------------------------------------------------------

  void go_down(const std::string& why = "cable cut") {
    line->is_up = false;
    agent_side->went_down(why);
    run();
  }

  void come_up() {
    line->is_up = true;
    agent_side->came_up();
    run();
  }

  /// Loses the messages of the agent that `heard` has not returned yet.
  void lose_said() {
    line->inbox.clear();
  }

  // -- the pool ---------------------------------------------------------------

  void send_bytes(std::string bytes) {
    auto owner = std::make_shared<const std::string>(std::move(bytes));
    agent_side->heard({}, {owner, *owner});
    run();
  }

  /// Sends a message batch of this session. The batch is lost if the line is
  /// down.
  template <class Message>
  void tell(const Message& message,
            const std::vector<std::string_view>& contents = {}) {
    libpool::batch_to_node batch{libpool::worker_number{session}, message};
    auto bytes = libpool::bytes_of(batch, contents);
    auto mark = libpool::is_beside_stream(batch)
                  ? stream.mark_beside(batch.session, false)
                  : stream.add(batch.session, bytes);
    say(mark, bytes);
  }

  /// Answers the last hello with a welcome.
  void welcome() {
    heard();
    ++session;
    stream.enter(libpool::worker_number{session});
    tell(libpool::welcome{attempt, libpool::worker_number{session}, lease});
  }

  void reject(libpool::rejection why) {
    heard();
    say({}, libpool::bytes_of(why));
  }

  /// Ends the session, and tells the agent.
  void end_session() {
    tell(libpool::gone{libpool::worker_number{session}});
  }

  /// Sends the last beat back.
  void echo() {
    heard();
    tell(libpool::beat{libpool::worker_number{session}, last_beat});
  }

  /// Sends tasks, each given by its number and its content as bytes.
  void
  send_packed(const std::vector<std::pair<std::uint64_t, std::string>>& tasks) {
    libpool::tasks_sent batch;
    std::vector<std::string_view> contents;
    for (auto& [number, bytes] : tasks) {
      batch.tasks.push_back(libpool::task_number{number});
      contents.emplace_back(bytes);
    }
    tell(batch, contents);
  }

  /// Sends tasks whose contents are their numbers.
  void sends(const std::vector<int>& tasks) {
    std::vector<std::pair<std::uint64_t, std::string>> packed;
    for (auto each : tasks)
      packed.emplace_back(each, packed_content(each));
    send_packed(packed);
  }

  template <class T>
  std::string packed_content(const T& x) {
    return std::get<std::string>(libpool::pack(system(), caf::make_message(x)));
  }

  /// Returns the message batches that have come since the last call, in words.
  /// If a batch was lost, the pool asks for it, and the result includes it.
  /// Notes the results in the batches in `results`. A repeated batch is left
  /// out.
  std::string heard() {
    std::string words;
    while (line != nullptr && !line->inbox.empty()) {
      auto bytes = std::move(line->inbox.front());
      line->inbox.pop_front();
      words += hear(bytes);
    }
    return words;
  }

  libpool::join_options join;
  caf::actor agent;
  /// Called before the transport is opened.
  std::function<void()> on_open;
  std::shared_ptr<recording_line> line = std::make_shared<recording_line>();
  std::shared_ptr<libpool::transport_user> agent_side;
  libpool::duration slept{0}; // time that the machine was suspended for
  bool confirms_byes = true;  // whether the pool answers byes

  // Contents of the last batches that `heard` has returned.
  libpool::introduction introduced;
  std::uint64_t attempt = 0;
  libpool::instant last_beat{};
  std::uint64_t epoch_of_last = 0;

  std::uint64_t epoch = 17; // of the pool
  std::uint64_t session = 0;
  libpool::session_stream<std::string> stream;
  std::size_t repeated = 0;            // batches that came again
  std::map<int, result> results;       // last result of each task
  std::map<int, std::size_t> tellings; // number of results of each task

private:
  std::shared_ptr<libpool::transport>
  open(std::shared_ptr<libpool::transport_user> user) {
    agent_side = std::move(user);
    if (on_open)
      on_open();
    if (line->is_up)
      agent_side->came_up();
    return line;
  }

  void say(const libpool::stream_mark& mark, const std::string& batch) {
    if (line->is_up)
      send_bytes(libpool::bytes_of(libpool::envelope{epoch, mark}) + batch);
  }

  std::string hear(const std::string& bytes) {
    auto opened = libpool::open_envelope(bytes);
    REQUIRE(opened);
    auto read = libpool::read_batch_to_pool(opened->batch);
    REQUIRE(read);
    epoch_of_last = opened->head.epoch;
    if (!note_mark(read->batch.session, opened->head.mark))
      return {};
    note(*read);
    if (confirms_byes
        && std::holds_alternative<libpool::bye>(read->batch.content))
      end_session();
    return std::visit(batch_words{}, read->batch.content) + " ";
  }

  /// Returns whether the pool must handle the message batch now.
  bool note_mark(libpool::worker_number of, const libpool::stream_mark& mark) {
    auto what = stream.note(of, mark);
    if (what.must_repeat)
      stream.stream().repeat(
        [this](const libpool::stream_mark& of_one, const std::string& batch) {
          say(of_one, batch);
        });
    if (what.must_ask)
      say(stream.mark_beside(of, true),
          libpool::bytes_of(libpool::batch_to_node{of, libpool::resend{}}));
    if (!what.is_next)
      ++repeated;
    return what.is_next;
  }

  void note(const libpool::read_by_pool& read) {
    auto& content = read.batch.content;
    if (auto* first = std::get_if<libpool::hello>(&content)) {
      attempt = first->attempt;
      introduced = read.who;
    } else if (auto* lives = std::get_if<libpool::beat>(&content)) {
      last_beat = lives->sent;
    } else if (auto* done = std::get_if<libpool::tasks_done>(&content)) {
      for (std::size_t i = 0; i < done->ends.size(); ++i)
        note_result(done->ends[i], read.contents.at(i));
    }
  }

  void note_result(const libpool::task_done& end, std::string_view bytes) {
    auto number = static_cast<int>(end.task);
    ++tellings[number];
    results.insert_or_assign(
      number, result{end.how, libpool::read_result(system(), bytes)});
  }
};

} // namespace test
