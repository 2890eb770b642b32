#include "sources.hpp"

#include "port/caf_pool.hpp"
#include "port/sending.hpp"

#include "libpool/actors/error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace render_queue {

namespace {

using libpool::errc;

/// The generation of each playhead, which readers look at.
using generations = std::vector<std::atomic<std::uint32_t>>;

bool is_current(const generations& current, const frame& what) {
  return current.at(what.playhead) == what.generation;
}

/// A request that no reader has.
struct waiting_frame {
  frame what;
  caf::response_promise client;
};

/// Keeps requests by due time, and hands them to the pool of readers. The pool
/// does not tell which reader is idle, so the queue counts.
class due_queue : public caf::event_based_actor {
public:
  due_queue(caf::actor_config& cfg, caf::actor readers,
            const scenario& scenario, instant begin,
            std::shared_ptr<generations> current)
    : caf::event_based_actor(cfg),
      readers_(std::move(readers)),
      most_in_all_(scenario.readers),
      most_of_each_(scenario.most_reading),
      begin_(begin),
      current_(std::move(current)),
      reading_(scenario.playheads) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](const frame& what) {
        auto client = make_response_promise();
        waiting_.emplace(what.due, waiting_frame{what, client});
        serve();
        return client;
      },
      [this](std::uint32_t playhead, std::uint32_t generation) {
        current_->at(playhead) = generation;
        drop_if(errc::cancelled, [this](const frame& what) {
          return !is_current(*current_, what);
        });
      },
    };
  }

private:
  template <class Predicate>
  void drop_if(errc why, Predicate is_meant) {
    for (auto i = waiting_.begin(); i != waiting_.end();)
      if (is_meant(i->second.what)) {
        i->second.client.deliver(libpool::make_error(why));
        i = waiting_.erase(i);
      } else {
        ++i;
      }
  }

  void serve() {
    const auto now = std::chrono::steady_clock::now() - begin_;
    drop_if(errc::deadline_exceeded,
            [now](const frame& what) { return what.due <= now; });
    while (reading_in_all_ < most_in_all_) {
      const auto next = std::find_if(
        waiting_.begin(), waiting_.end(), [this](const auto& each) {
          return reading_.at(each.second.what.playhead) < most_of_each_;
        });
      if (next == waiting_.end())
        return;
      const auto taken = std::move(next->second);
      waiting_.erase(next);
      hand_over(taken);
    }
  }

  void hand_over(const waiting_frame& taken) {
    ++reading_in_all_;
    ++reading_.at(taken.what.playhead);
    const auto amount = taken.what.playhead;
    auto client = taken.client;
    port::request(this, readers_, caf::infinite, taken.what)
      .then(
        [this, amount, client](const frame& read) mutable {
          if (is_current(*current_, read))
            client.deliver(read);
          else
            client.deliver(libpool::make_error(errc::cancelled));
          ended(amount);
        },
        [this, amount, client](const caf::error& why) mutable {
          client.deliver(why);
          ended(amount);
        });
  }

  void ended(std::uint32_t playhead) {
    --reading_in_all_;
    --reading_.at(playhead);
    serve();
  }

  const caf::actor readers_;
  const std::size_t most_in_all_;
  const std::size_t most_of_each_;
  const instant begin_;
  const std::shared_ptr<generations> current_;
  std::multimap<duration, waiting_frame> waiting_;
  std::size_t reading_in_all_ = 0;
  std::vector<std::size_t> reading_;
};

} // namespace

frame_source by_hand(caf::actor_system& system, const scenario& scenario,
                     instant begin, const reader_maker& make) {
  auto current = std::make_shared<generations>(scenario.playheads);
  auto is_wanted = [current, begin](caf::local_actor*, const frame& what) {
    return is_current(*current, what)
           && std::chrono::steady_clock::now() < begin + what.due;
  };
  auto readers = port::make_caf_pool(
    system, scenario.readers, [=] { return make(is_wanted); },
    caf::actor_pool::round_robin());
  auto queue = system.spawn<due_queue>(readers, scenario, begin, current);
  auto drop = [queue](std::uint32_t playhead, std::uint32_t generation) {
    port::anon_send(queue, playhead, generation);
  };
  auto end = [queue, readers] {
    caf::anon_send_exit(queue, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(readers, caf::exit_reason::user_shutdown);
  };
  return {queue, drop, end};
}

} // namespace render_queue
