#pragma once

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/actors/nodes/task_result.hpp"
#include "libpool/nodes/letter_bytes.hpp"
#include "support/letter_words.hpp"
#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace test {

/// A node's agent with its local pool; the test plays the pool's front, another
/// one in each connection. It ends with the end of the agent.
class agent_world : public managed_world {
public:
  static constexpr libpool::duration lease = std::chrono::seconds{4};

  /// The result of a task, as it came.
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
    access.connect = [this](const found& answer) { connect(answer); };
    access.now = [this] { return now(); };
    access.seed = 7;
    agent = libpool::detail::join_pool(system(), access, join, factory);
    run();
  }

  void spawn(const scripted::script& script) {
    spawn_by([this, script] { return system().spawn<scripted>(script); });
  }

  /// A node that is in touch with the pool.
  void serve(const scripted::script& script) {
    spawn(script);
    welcome();
    heard();
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

  /// Why the agent has ended.
  caf::error ended() const {
    return libpool::fail_state_of(libpool::actor_behind(agent));
  }

  void end_agent() {
    if (!agent)
      return;
    exit(agent, caf::exit_reason::kill);
    run();
    CHECK(has_ended());
    caf::actor_addr address = agent.address();
    agent = nullptr;
    client->inbox.clear();
    fronts.clear();
    run();
    CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
  }

  // -- the front --------------------------------------------------------------

  probe& front() {
    return fronts.back();
  }

  /// Sends bytes to where the last letter came from.
  void send_bytes(const std::string& bytes) {
    front().send(caf::actor_cast<caf::actor>(endpoint), bytes);
    run();
  }

  template <class Message>
  void tell(const Message& message,
            const std::vector<std::string_view>& contents = {}) {
    send_bytes(libpool::bytes_of(
      libpool::letter_to_node{libpool::worker_number{session}, message},
      contents));
  }

  /// Lets in the node whose hello came last.
  void welcome() {
    heard();
    ++session;
    tell(libpool::welcome{attempt, libpool::worker_number{session}, lease});
  }

  void reject(libpool::rejection why) {
    heard();
    send_bytes(libpool::bytes_of(why));
  }

  /// Sends back the beat that came last.
  void echo() {
    heard();
    tell(libpool::beat{libpool::worker_number{session}, last_beat});
  }

  /// Sends tasks with these contents.
  void
  send_packed(const std::vector<std::pair<std::uint64_t, std::string>>& tasks) {
    libpool::tasks_sent letter;
    std::vector<std::string_view> contents;
    for (auto& [number, bytes] : tasks) {
      letter.tasks.push_back(libpool::task_number{number});
      contents.emplace_back(bytes);
    }
    tell(letter, contents);
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

  /// The letters that came to the front of the last connection since it was
  /// asked for, in words; results are in `results` from then on.
  std::string heard() {
    std::string words;
    if (fronts.empty())
      return words;
    for (auto& each : std::exchange(front()->inbox, {}))
      words += hear(*each);
    return words;
  }

  using found = std::function<void(libpool::detail::found_front)>;

  libpool::join_options join;
  caf::actor agent;
  std::deque<probe> fronts;
  /// Called in the place of making a front.
  std::function<void(const found&)> on_connect;
  libpool::duration slept{0}; // by the machine
  bool hears_byes = true;     // the front answers them
  std::size_t tries = 0;      // of the agent to find a front

  // Of the letters that were heard last.
  caf::strong_actor_ptr endpoint;
  libpool::introduction introduced;
  std::uint64_t attempt = 0;
  libpool::instant last_beat{};

  std::uint64_t session = 0;
  std::map<int, result> results;

private:
  void connect(const found& answer) {
    ++tries;
    if (on_connect)
      return on_connect(answer);
    fronts.emplace_back(*this);
    answer(front().pointer());
  }

  std::string hear(caf::mailbox_element& element) {
    auto& content = libpool::content_of(element);
    REQUIRE(content.match_elements<std::string>());
    auto read = libpool::read_letter_to_pool(content.get_as<std::string>(0));
    REQUIRE(read);
    endpoint = element.sender;
    note(*read);
    if (hears_byes && libpool::wants_answer(element)) {
      libpool::answer(libpool::take_return_path(element), front().pointer(),
                      caf::message{}, nullptr);
      run();
    }
    return std::visit(letter_words{}, read->letter.content) + " ";
  }

  void note(const libpool::read_by_pool& read) {
    auto& content = read.letter.content;
    if (auto* first = std::get_if<libpool::hello>(&content)) {
      attempt = first->attempt;
      introduced = read.who;
    } else if (auto* lives = std::get_if<libpool::beat>(&content)) {
      last_beat = lives->sent;
    } else if (auto* done = std::get_if<libpool::tasks_done>(&content)) {
      for (std::size_t i = 0; i < done->ends.size(); ++i) {
        auto number = static_cast<int>(done->ends[i].task);
        results.insert_or_assign(
          number, result{done->ends[i].how,
                         libpool::read_result(system(), read.contents.at(i))});
      }
    }
  }
};

} // namespace test
