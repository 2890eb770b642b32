#pragma once

#include "libpool/core/placement.hpp"
#include "support/watcher.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace test {

/// Does as another placement does, and notes the first law that is broken by
/// the facts for it, or by its answers: a model, if there is one, answers the
/// same.
class watched_placement final : public watcher<libpool::placement> {
public:
  using watcher::watcher;

  // -- facts ------------------------------------------------------------------

  void joined(libpool::worker& worker, libpool::instant now) noexcept override {
    expect(members_.insert(&worker).second, "a worker joins once");
    tell(&placement::joined, worker, now);
    ask_if_empty(now);
  }

  void left(libpool::worker& worker, libpool::instant now) noexcept override {
    expect(offered_.count(&worker) == 0,
           "a worker is withdrawn before it leaves");
    expect(members_.erase(&worker) == 1, "a worker leaves once");
    tell(&placement::left, worker, now);
    ask_if_empty(now);
  }

  void offered(libpool::worker& worker,
               libpool::instant now) noexcept override {
    expect(members_.count(&worker) == 1, "a worker joins before it is offered");
    expect(offered_.insert(&worker).second, "a worker is offered once");
    tell(&placement::offered, worker, now);
  }

  void withdrawn(libpool::worker& worker,
                 libpool::instant now) noexcept override {
    expect(offered_.erase(&worker) == 1, "a withdrawn worker was offered");
    tell(&placement::withdrawn, worker, now);
    ask_if_empty(now);
  }

  void picked(libpool::worker& worker, const libpool::task& task,
              libpool::instant now) noexcept override {
    expect(chosen_ == &worker, "a worker is picked that was chosen last");
    tell(&placement::picked, worker, task, now);
  }

  void assigned(libpool::worker& worker, libpool::task& task,
                libpool::instant now) noexcept override {
    expect(on_.emplace(&task, &worker).second, "a task is on one worker");
    tell(&placement::assigned, worker, task, now);
  }

  void began(libpool::worker& worker, libpool::task& task,
             libpool::instant now) noexcept override {
    expect(is_on(task, worker), "a task that begins was assigned");
    tell(&placement::began, worker, task, now);
  }

  void measured(libpool::worker& worker, libpool::task& task,
                libpool::ending how, libpool::duration cost,
                libpool::instant now) noexcept override {
    expect(cost >= libpool::duration{0}, "no cost is negative");
    tell(&placement::measured, worker, task, how, cost, now);
  }

  void unassigned(libpool::worker& worker, libpool::task& task,
                  libpool::instant now) noexcept override {
    expect(is_on(task, worker), "a task that is unassigned was assigned");
    on_.erase(&task);
    tell(&placement::unassigned, worker, task, now);
  }

  // -- questions --------------------------------------------------------------

  std::optional<libpool::measure> measures() const noexcept override {
    return real_->measures();
  }

  bool keeps_order(const libpool::task& task) const noexcept override {
    return real_->keeps_order(task);
  }

  bool lets_workers_go_on() const noexcept override {
    return real_->lets_workers_go_on();
  }

  bool is_tied(const libpool::task& task) const noexcept override {
    return real_->is_tied(task);
  }

  libpool::worker* choose(const libpool::task& task,
                          libpool::instant now) noexcept override {
    auto* chosen = real_->choose(task, now);
    if (chosen != nullptr)
      real_->choose_among({*offered_.begin()}, task, now);
    chosen_ = real_->choose(task, now);
    expect(chosen == chosen_, "a question asked twice has the same answer");
    expect(chosen == nullptr || offered_.count(chosen) == 1,
           "only workers that are offered are chosen");
    expect(chosen != nullptr || task.notes().key,
           "some worker is chosen where one is offered");
    if (model_ != nullptr)
      expect_choice(chosen, model_->choose(task, now));
    return chosen;
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task& task,
                                libpool::instant now) noexcept override {
    auto* chosen = real_->choose_among(some, task, now);
    real_->choose(task, now);
    chosen_ = real_->choose_among(some, task, now);
    expect(chosen == chosen_,
           "a question asked twice has the same answer, also for some");
    expect(chosen == nullptr
             || std::find(some.begin(), some.end(), chosen) != some.end(),
           "one of some is chosen for tasks that may run there only");
    expect(chosen != nullptr || task.notes().key,
           "some worker is chosen where one may run the task");
    if (model_ != nullptr)
      expect_choice(chosen, model_->choose_among(some, task, now));
    return chosen;
  }

private:
  void ask_if_empty(libpool::instant now) {
    if (offered_.empty())
      expect(real_->choose(libpool::task{}, now) == nullptr,
             "no worker is chosen where none is offered");
  }

  bool is_on(const libpool::task& task, const libpool::worker& worker) const {
    auto i = on_.find(&task);
    return i != on_.end() && i->second == &worker;
  }

  void expect_choice(const libpool::worker* chosen,
                     const libpool::worker* modelled) noexcept {
    auto name_of = [](const libpool::worker* worker) {
      return worker == nullptr
               ? "nobody"
               : std::to_string(static_cast<std::uint64_t>(worker->number));
    };
    if (chosen != modelled)
      expect(false,
             name_of(chosen) + " is chosen instead of " + name_of(modelled));
  }

  std::set<libpool::worker*> members_;
  std::set<libpool::worker*> offered_;
  libpool::worker* chosen_ = nullptr;
  std::map<const libpool::task*, const libpool::worker*> on_;
};

} // namespace test
