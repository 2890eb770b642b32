#include "run.hpp"

#include "port/configuring.hpp"
#include "port/sending.hpp"

#include "libpool/actors/error.hpp"
#include "libpool/actors/set_up.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

namespace render_queue {

namespace {

/// Does the steps of a script in real time, waits for open requests, and ends.
/// Its experience goes to `out`, which has to outlive it.
class playhead : public caf::event_based_actor {
public:
  playhead(caf::actor_config& cfg, std::uint32_t number,
           const scenario& scenario, frame_source frames, observer& seen,
           experience& out)
    : caf::event_based_actor(cfg),
      number_(number),
      script_(script_of(scenario, number)),
      source_(std::move(frames)),
      seen_(seen),
      out_(out) {
    // nop
  }

  caf::behavior make_behavior() override {
    port::send(this, this, caf::tick_atom{});
    return {[this](caf::tick_atom) { tick(); }};
  }

private:
  struct asked_frame {
    frame what;
    bool is_there = false;
  };

  void tick() {
    const auto& step = script_[tick_];
    show();
    if (step.seeks)
      drop();
    for (const auto& each : step.asks)
      ask(each);
    if (++tick_ == script_.size())
      return end_if_over();
    const auto now = std::chrono::steady_clock::now();
    const auto next = seen_.begin() + time_of(tick_);
    port::delayed_send(this, this, std::max<duration>(next - now, duration{0}),
                       caf::tick_atom{});
  }

  void show() {
    const auto found = frames_.find(time_of(tick_));
    if (found == frames_.end())
      return;
    const auto& [what, is_there] = found->second;
    out_.frames.push_back({what, is_there ? fate::on_time : fate::late});
    frames_.erase(found);
  }

  void drop() {
    ++generation_;
    seen_.sought(number_, generation_);
    source_.drop(number_, generation_);
    for (const auto& each : frames_)
      out_.frames.push_back({each.second.what, fate::dropped});
    frames_.clear();
  }

  void ask(const frame& what) {
    ++out_.asked;
    frames_[what.due].what = what;
    port::request(this, source_.queue, caf::infinite, what)
      .then([this](const frame& read) { answered(read); },
            [this](const caf::error& why) { failed(why); });
  }

  void answered(const frame& what) {
    ++out_.answered;
    const auto found = frames_.find(what.due);
    if (found != frames_.end()
        && found->second.what.generation == what.generation)
      found->second = {what, true};
    end_if_over();
  }

  void failed(const caf::error& why) {
    using libpool::errc;
    ++out_.answered;
    if (why != errc::cancelled && why != errc::deadline_exceeded)
      out_.error = libpool::render(why, system());
    end_if_over();
  }

  void end_if_over() {
    if (tick_ == script_.size() && out_.answered == out_.asked)
      quit();
  }

  const std::uint32_t number_;
  const script script_;
  const frame_source source_;
  observer& seen_;
  experience& out_;
  std::size_t tick_ = 0;
  std::uint32_t generation_ = 0;
  /// Frames that are not settled, by due time.
  std::map<duration, asked_frame> frames_;
};

} // namespace

run_result run(const source_maker& make, const scenario& scenario) {
  run_result result;
  result.playheads.resize(scenario.playheads);
  const instant begin = std::chrono::steady_clock::now();
  observer seen{begin, scenario.playheads};
  {
    caf::actor_system_config config;
    libpool::set_up(config);
    port::add_message_types<caf::id_block::render_queue>(config);
    port::wait_when_idle(config);
    caf::actor_system system{config};
    const auto source = make(system, scenario, begin, [&](frame_check wanted) {
      return system.spawn<caf::detached>(reader, std::move(wanted), &seen);
    });
    caf::scoped_actor self{system};
    std::uint32_t number = 0;
    for (auto& each : result.playheads)
      self->monitor(
        system.spawn<playhead>(number++, scenario, source, seen, each));
    std::size_t ended = 0;
    self->receive_for(ended, scenario.playheads)([](const caf::down_msg&) {});
    source.end();
  } // waits for the readers
  for (const auto& each : result.playheads)
    if (!each.error.empty())
      throw std::runtime_error{"a request for a frame failed: " + each.error};
  result.reads = seen.seen();
  return result;
}

} // namespace render_queue
