#pragma once

#include "libpool/pool.hpp"
#include "support/probe.hpp"

namespace test {

/// A pipeline in a world whose crank the test turns. It ends with a look into
/// the books: they balance, and nothing is in the line.
class pipeline_world : public hand_cranked {
public:
  explicit pipeline_world(std::uint64_t seed = 0) : hand_cranked(seed) {
    options.on_failed = [this](const libpool::failed_item& failed) {
      failures.push_back(failed);
    };
    options.on_refused = [this](libpool::refusal& refusal) {
      refusals.push_back(refusal.reason);
    };
    options.on_source_failed = [this](const caf::error& why) {
      source_failures.push_back(why);
    };
  }

  pipeline_world(const pipeline_world&) = delete;
  pipeline_world& operator=(const pipeline_world&) = delete;

  ~pipeline_world() {
    run();
    if (line)
      finish();
  }

  template <class In, class Out>
  void spawn(const libpool::pipeline_plan<In, Out>& plan) {
    line = libpool::spawn_pipeline(system(), plan, options);
  }

  /// A stage that the test plays by hand.
  static libpool::pipeline_plan<caf::message, caf::message>
  by_hand(const std::string& name, const probe& worker, std::size_t credit) {
    return libpool::pool_stage(name, worker.handle(), {credit});
  }

  libpool::pipeline_stats stats() const {
    return libpool::pipeline::stats(line);
  }

  caf::error ended() const {
    return libpool::fail_state_of(*caf::actor_cast<caf::abstract_actor*>(line));
  }

  bool is_over() const {
    return caf::actor_cast<caf::abstract_actor*>(line)->getf(
      caf::abstract_actor::is_terminated_flag);
  }

  /// Ends it, if it has not, and looks into the books.
  void finish() {
    stop(line);
    CHECK(is_over());
    auto books = stats();
    CHECK(books.in_line == 0);
    CHECK(books.accepted == books.completed + books.failed + books.cancelled);
    for (auto& each : books.stages) {
      CHECK(each.held == 0);
      CHECK(each.most_held <= each.credit);
    }
    caf::actor_addr address = line.address();
    line = nullptr;
    client->inbox.clear();
    run();
    CHECK((held_elsewhere || is_gone(address)));
  }

  probe client{*this};
  libpool::pipeline_options options;
  caf::actor line;
  std::vector<libpool::failed_item> failures;
  std::vector<caf::error> refusals;
  std::vector<caf::error> source_failures;
  std::vector<int> seen; // by a sink
  /// Set by tests that keep references of their own.
  bool held_elsewhere = false;
};

/// The same with stages that the test plays by hand.
struct staged_world : pipeline_world {
  using pipeline_world::pipeline_world;

  /// Makes a pipeline with one stage for each credit. The test plays the stages
  /// by hand.
  void spawn_by_hand(const std::vector<std::size_t>& credits) {
    auto plan = by_hand("first", first, credits.at(0));
    if (credits.size() > 1)
      plan = plan | by_hand("second", second, credits[1]);
    if (credits.size() > 2)
      plan = plan | by_hand("third", third, credits[2]);
    spawn(plan);
  }

  probe first{*this};
  probe second{*this};
  probe third{*this};
};

/// The words in an error of ours.
inline std::string words(const caf::error& reason) {
  return reason.context().match_elements<std::string>()
           ? reason.context().get_as<std::string>(0)
           : to_string(reason);
}

} // namespace test
