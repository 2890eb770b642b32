#pragma once

#include "libpool/pool.hpp"
#include "support/complaint.hpp"
#include "support/probe.hpp"

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
#include <utility>
#include <vector>

namespace test {

/// A worker that follows a script of the test.
class scripted : public caf::event_based_actor {
public:
  using script = std::function<caf::behavior(scripted&)>;

  scripted(caf::actor_config& cfg, script steps)
    : caf::event_based_actor(cfg), script_(std::move(steps)) {
    set_default_handler(caf::drop);
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error}; // without a word
    });
  }

  caf::behavior make_behavior() override {
    return script_(*this);
  }

private:
  script script_;
};

[[noreturn]] inline void crash() {
  throw std::runtime_error{"crash"};
}

/// A crashed worker may have told its client before the pool does, with an
/// error of CAF's. A client takes the first answer.
inline bool failed_by_crash(const reply& reply) {
  return reply.came() && reply.count <= 2 && reply.error();
}

/// The fate of a task, without the handles, which would keep actors.
struct fate {
  std::uint64_t number = 0;
  libpool::outcome how = libpool::outcome::completed;
  caf::error reason;
  bool had_client = false;
  caf::message_id id;
  caf::actor_id worker = 0;
  libpool::instant accepted;
  libpool::instant started;
  libpool::instant settled;
};

/// A managed pool in a world whose crank the test turns. It ends with a look
/// into the books: they balance, and nothing is open.
class managed_world : public hand_cranked {
public:
  explicit managed_world(std::uint64_t seed = 0) : hand_cranked(seed) {
    options.on_settled = [this](const libpool::settled_task& settled) {
      note(settled);
    };
  }

  managed_world(const managed_world&) = delete;
  managed_world& operator=(const managed_world&) = delete;

  ~managed_world() {
    finish();
  }

  /// Makes the pool of `n` workers that follow the script.
  void populate(std::size_t n, scripted::script script) {
    populate_by(n, [this, script = std::move(script)] {
      return system().spawn<scripted>(script);
    });
  }

  void populate_by(std::size_t n, const std::function<caf::actor()>& factory) {
    options.workers = n;
    pool = libpool::spawn_pool(system(), options, factory);
    run();
  }

  /// A worker that doubles numbers, and adds them to `doubled`.
  scripted::script doubling() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int x) {
        doubled.push_back(x);
        return 2 * x;
      }};
    };
  }

  void put_doubling() {
    CHECK(put(system().spawn<scripted>(doubling())).is_empty());
  }

  /// A worker that keeps promises until `deliver` is called.
  scripted::script promising() {
    return [this](scripted& self) -> caf::behavior {
      return {
        [this, &self](int) {
          holders.push_back(&self);
          promises.push_back(self.make_response_promise());
          return promises.back();
        },
        [this](caf::ok_atom, std::size_t i, int x) {
          auto promise = std::move(promises.at(i));
          promise.deliver(x);
        },
      };
    };
  }

  /// Has the worker that has promised number `i` answer with `x`.
  void deliver(std::size_t i, int x) {
    caf::anon_send(caf::actor{holders.at(i)}, caf::ok_atom{}, i, x);
    run();
  }

  /// Sends a request to the pool and runs the system; returns its number.
  template <class... Ts>
  std::uint64_t request(Ts&&... xs) {
    auto number = client.request(pool, std::forward<Ts>(xs)...);
    run();
    return number;
  }

  /// Sends an urgent request to the pool, with this number.
  template <class T>
  void request_urgent(std::uint64_t number, T content) {
    auto id = caf::make_message_id(number).with_high_priority();
    caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
      libpool::make_element(client.pointer(), id, std::move(content)), nullptr);
  }

  /// The result of a request that was answered once.
  template <class T = int>
  T result_of(std::uint64_t request) const {
    auto answer = client.answer_to(request);
    CHECK(answer.count == 1);
    return answer.get<T>();
  }

  /// The error of a request that was answered once.
  caf::error error_of(std::uint64_t request) const {
    auto answer = client.answer_to(request);
    CHECK(answer.count == 1);
    return answer.error();
  }

  bool is_answered(std::uint64_t request) const {
    return client.answer_to(request).came();
  }

  /// Options of a pool that adds refused asynchronous messages to `refusals`.
  libpool::pool_options noting_refusals() {
    return {[this](libpool::refusal& refusal) {
      refusals.push_back(std::move(refusal));
    }};
  }

  /// Makes a pool without a factory.
  void make_empty() {
    pool = libpool::actor_pool::make(
      system(), libpool::actor_pool::shared_queue(options));
  }

  std::vector<caf::actor> workers() {
    return client.ask(pool, caf::sys_atom{}, caf::get_atom{})
      .get<std::vector<caf::actor>>();
  }

  reply put(const caf::actor& worker) {
    return client.ask(pool, caf::sys_atom{}, caf::put_atom{}, worker);
  }

  /// Asks for that many workers; returns the number of the request.
  std::uint64_t resize(int n) {
    return client.request(pool, caf::sys_atom{}, libpool::resize_atom{}, n);
  }

  std::uint64_t drain() {
    return client.request(pool, caf::sys_atom{}, libpool::drain_atom{});
  }

  /// Has at most `max` crashed workers replaced, each after the given pause.
  void restart(std::size_t max, std::chrono::nanoseconds pause = {}) {
    options.restart.max = max;
    options.restart.pause = options.restart.longest_pause = pause;
  }

  /// Whether the text of the error of the answer has this part.
  bool says(const reply& answer, const std::string& part) {
    return libpool::render(answer.error(), system()).find(part)
           != std::string::npos;
  }

  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(pool);
  }

  libpool::ledger books() const {
    return stats().tasks;
  }

  /// Goes before everything else in the mailbox.
  void kill(const caf::actor& actor) {
    caf::anon_send<caf::message_priority::high>(
      actor, caf::exit_msg{actor.address(), caf::exit_reason::kill});
  }

  /// Comes after everything else in the mailbox.
  void exit(const caf::actor& actor,
            caf::exit_reason why = caf::exit_reason::user_shutdown) {
    caf::anon_send_exit(actor, why);
  }

  /// How many tasks came to this end.
  std::size_t count(libpool::outcome how) const {
    std::size_t result = 0;
    for (auto& each : fates)
      result += each.how == how;
    return result;
  }

  /// Runs to the end, looks into the books, and ends the pool.
  void finish() {
    run();
    promises.clear();
    run();
    if (!pool)
      return;
    check_books();
    exit(pool, caf::exit_reason::user_shutdown);
    run();
    check_books();
    CHECK(each_is_settled_once());
    CHECK(is_unreferenced());
  }

  probe client{*this};
  libpool::managed_options options;
  caf::actor pool;
  std::vector<fate> fates;
  std::vector<libpool::refusal> refusals;
  std::vector<int> doubled;
  /// The promises of workers, for answers that come later.
  std::vector<caf::response_promise> promises;
  std::vector<scripted*> holders;
  /// Called with each task that is settled.
  std::function<void(const libpool::settled_task&)> on_settled;

private:
  void note(const libpool::settled_task& settled) {
    fates.push_back({settled.number, settled.how, settled.reason,
                     settled.client != nullptr, settled.id,
                     settled.worker ? settled.worker.id() : 0, settled.accepted,
                     settled.started, settled.settled});
    if (on_settled)
      on_settled(settled);
  }

  void check_books() {
    auto now = books();
    CHECK(now.balances());
    CHECK(now.open() == 0);
    if (!notes_fates)
      return;
    CHECK(count(libpool::outcome::completed) == now.completed);
    CHECK(count(libpool::outcome::failed) == now.failed);
    CHECK(count(libpool::outcome::cancelled) == now.cancelled);
    CHECK(count(libpool::outcome::refused) == now.refused);
  }

  bool each_is_settled_once() const {
    if (!notes_fates)
      return true;
    std::vector<std::size_t> times(books().accepted + 1);
    for (auto& each : fates)
      if (each.number > 0)
        ++times.at(each.number);
    for (std::size_t number = 1; number < times.size(); ++number)
      if (times[number] != 1)
        return false;
    return true;
  }

  /// Whether the pool goes once the test and its clients let go of it.
  bool is_unreferenced() {
    caf::actor_addr address = pool.address();
    fates.clear();
    pool = nullptr;
    client->inbox.clear();
    run();
    return held_elsewhere
           || caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr;
  }

public:
  /// Whether `fates` has all tasks.
  bool notes_fates = true;
  /// Set by tests that keep handles of their own to the pool.
  bool held_elsewhere = false;
};

inline int first_of(const libpool::message_content& content) {
  return content.get_as<int>(0);
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace test
