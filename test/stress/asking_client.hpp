#pragma once

#include "support/patience.hpp"
#include "support/port/message_types.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <utility>
#include <vector>

namespace test {

/// The answers that clients got.
struct answer_counts {
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  std::int64_t errors = 0;
};

/// The numbers that a client asks for.
struct questions {
  std::int64_t first = 0;
  std::int64_t last = 0; // is not asked for
  /// Maximum number of open requests.
  std::int64_t window = 32;
  /// Right answer to 1.
  std::int64_t factor = 1;
  /// Interval of the numbers that are sent as asynchronous messages instead of
  /// requests; 0: all numbers are requests.
  std::int64_t told_every = 0;
};

/// Sends requests with numbers to a pool, and checks that each answer is
/// `factor` times its number.
class asking_client final : public caf::event_based_actor {
public:
  asking_client(caf::actor_config& cfg, caf::actor pool, const questions& all,
                std::promise<answer_counts> finished)
    : caf::event_based_actor(cfg),
      pool_(std::move(pool)),
      all_(all),
      next_(all.first),
      done_(std::move(finished)) {
    // nop
  }

  caf::behavior make_behavior() override {
    set_default_handler(caf::drop);
    // CAF 1 tells senders of asynchronous messages, too, if a handler throws.
    set_error_handler([](caf::error&) {});
    go_on();
    return {[](tick_atom) {}};
  }

private:
  void go_on() {
    for (; next_ != all_.last && open_ < all_.window; ++next_)
      if (all_.told_every > 0 && next_ % all_.told_every == 0)
        send(pool_, tell_atom{}, next_);
      else
        ask(next_);
    if (open_ == 0) {
      done_.set_value(counts_);
      quit();
    }
  }

  void ask(std::int64_t x) {
    ++open_;
    request(pool_, caf::infinite, x)
      .then(
        [this, x](std::int64_t y) {
          answered(y == all_.factor * x ? counts_.right : counts_.wrong);
        },
        [this](const caf::error&) { answered(counts_.errors); });
  }

  void answered(std::int64_t& count) {
    ++count;
    --open_;
    go_on();
  }

  caf::actor pool_;
  const questions all_;
  std::int64_t next_;
  std::int64_t open_ = 0;
  answer_counts counts_;
  std::promise<answer_counts> done_;
};

/// The counts of several clients together.
class asking_clients {
public:
  void add(caf::actor_system& system, const caf::actor& pool,
           const questions& all) {
    std::promise<answer_counts> done;
    counts_.push_back(done.get_future());
    system.spawn<asking_client>(pool, all, std::move(done));
  }

  /// Calls `meanwhile` until all requests are answered, or time is up.
  template <class F>
  answer_counts wait(F meanwhile) {
    answer_counts result;
    for (auto& each : counts_) {
      auto end = std::chrono::steady_clock::now() + patience;
      while (each.wait_for(std::chrono::milliseconds{1})
             != std::future_status::ready) {
        REQUIRE(std::chrono::steady_clock::now() < end);
        meanwhile();
      }
      auto [right, wrong, errors] = each.get();
      result.right += right;
      result.wrong += wrong;
      result.errors += errors;
    }
    return result;
  }

private:
  std::vector<std::future<answer_counts>> counts_;
};

} // namespace test
