#pragma once

#include "libpool/actors/caf/port/inspection.hpp"

#include "baton.hpp"
#include "support/port/message_types.hpp"
#include "support/probe.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace products {

/// Counts how many objects there are that have one.
template <class Tag>
class counted {
public:
  counted() noexcept {
    ++live;
  }

  counted(const counted&) noexcept {
    ++live;
  }

  counted& operator=(const counted&) noexcept = default;

  ~counted() {
    --live;
  }

  inline static std::atomic<int> live{0};
};

/// The content of each message that is work.
struct cargo {
  int number = 0; // of the message
  int part = 0;   // where a pool has split it
  counted<cargo> here = {};
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, cargo& x) {
  return libpool::inspect_fields(f, x, "cargo",
                                 libpool::field{"number", x.number},
                                 libpool::field{"part", x.part});
}

/// How a worker handles a message.
enum class handling : std::uint8_t {
  answers,
  answers_with_error,
  throws,
  quits,         // answers and ends as usual
  quits_failing, // answers and ends with an error
  skips,         // until it is told to open
  never_looks,   // skips it as long as it lives
  awaits,        // an answer from another actor, before it answers
  promises,      // to answer when it is told to
  drops,         // the promise to answer
  delegates,     // to another actor
  gets_stuck,    // returns when others have run for a while
  looks_at_task, // asks what the pool knows of the message
  asks_own_pool, // to handle other messages, before it answers
};

/// A request of a worker to its own pool.
struct nested_request {
  caf::actor_addr pool;
  cargo content;
  bool is_urgent = false;
  /// Whether it goes through a handle that submits only.
  bool passes_gate = false;
};

/// One message, as seen by its sender and by workers.
struct message_record {
  handling does = handling::answers;
  bool is_work = true;
  bool is_request = false;
  std::size_t client = 0;
  std::uint64_t request = 0;
  /// Worker that has sent the message; unset: a client has.
  std::optional<std::size_t> asker;
  /// Number of handlers that wait for the message, directly or not.
  std::size_t depth = 0;
  /// Answers to the message, if a worker has sent it.
  test::reply answer;
  /// Numbers of the requests that each run has sent to its own pool.
  std::vector<std::vector<int>> asked;
  /// How often handlers began, by part and worker.
  std::map<std::pair<int, std::size_t>, unsigned> runs;
  bool was_skipped = false;
  bool promise_is_lost = false;

  unsigned all_runs() const {
    unsigned result = 0;
    for (const auto& each : runs)
      result += each.second;
    return result;
  }
};

/// The reports of workers about a scenario, and their orders.
struct records {
  /// The thread that has the baton may look at the rest; the test has it unless
  /// it lends it.
  products::baton baton;
  std::deque<message_record> messages;
  /// Whether skipping workers skip no more.
  bool is_open = false;
  /// Whether a handler that throws does so each time.
  bool throws_again = false;
  /// Whether there are messages that are no work; blocking workers leave
  /// unknown ones in their mailboxes.
  bool has_strange = false;
  /// Whether no more workers can be made.
  bool has_no_more_workers = false;
  /// Lets time pass while a handler runs; nullptr: none does.
  std::function<void()> pass_time = nullptr;
  /// Lets others run while a handler runs; nullptr: none does.
  std::function<void()> run_others = nullptr;
  /// Makes the requests of a worker, whose handler has that message, to its own
  /// pool; none if there were enough of them.
  std::function<std::vector<nested_request>(std::size_t worker, int message)>
    make_nested;
  /// Numbers of the messages that have begun, in this order, with their first
  /// parts.
  std::vector<int> begun;
  /// Handlers that began with a message that is not in `messages`.
  unsigned strange_runs = 0;
};

} // namespace products

LIBPOOL_TEST_WRITTEN_TYPE(4, products::cargo)
LIBPOOL_TEST_WRITTEN_TYPE(5, std::vector<products::cargo>)
