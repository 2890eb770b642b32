#include "support/watched_placement.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::task;
using libpool::worker;

namespace test {

watched_placement::watched_placement(owned real, owned model)
  : real_(std::move(real)), model_(std::move(model)) {
  // nop
}

// -- facts --------------------------------------------------------------------

void watched_placement::joined(worker& worker, instant now) noexcept {
  expect(members_.insert(&worker).second, "a worker joins once");
  tell([&](auto& it) { it.joined(worker, now); });
  ask_if_empty(now);
}

void watched_placement::left(worker& worker, instant now) noexcept {
  expect(offered_.count(&worker) == 0,
         "a worker is withdrawn before it leaves");
  expect(members_.erase(&worker) == 1, "a worker leaves once");
  tell([&](auto& it) { it.left(worker, now); });
  ask_if_empty(now);
}

void watched_placement::offered(worker& worker, instant now) noexcept {
  expect(members_.count(&worker) == 1, "a worker joins before it is offered");
  expect(offered_.insert(&worker).second, "a worker is offered once");
  tell([&](auto& it) { it.offered(worker, now); });
}

void watched_placement::withdrawn(worker& worker, instant now) noexcept {
  expect(offered_.erase(&worker) == 1, "a withdrawn worker was offered");
  tell([&](auto& it) { it.withdrawn(worker, now); });
  ask_if_empty(now);
}

void watched_placement::picked(worker& worker, const task& task,
                               instant now) noexcept {
  expect(chosen_ == &worker, "a worker is picked that was chosen last");
  tell([&](auto& it) { it.picked(worker, task, now); });
}

void watched_placement::assigned(worker& worker, task& task,
                                 instant now) noexcept {
  expect(on_.emplace(&task, &worker).second, "a task is on one worker");
  tell([&](auto& it) { it.assigned(worker, task, now); });
}

void watched_placement::began(worker& worker, task& task,
                              instant now) noexcept {
  expect(is_on(task, worker), "a task that begins was assigned");
  tell([&](auto& it) { it.began(worker, task, now); });
}

void watched_placement::measured(worker& worker, task& task, ending how,
                                 duration cost, instant now) noexcept {
  expect(cost >= duration{0}, "no cost is negative");
  tell([&](auto& it) { it.measured(worker, task, how, cost, now); });
}

void watched_placement::unassigned(worker& worker, task& task,
                                   instant now) noexcept {
  expect(is_on(task, worker), "a task that is unassigned was assigned");
  on_.erase(&task);
  tell([&](auto& it) { it.unassigned(worker, task, now); });
}

// -- questions ----------------------------------------------------------------

std::optional<libpool::measure> watched_placement::measures() const noexcept {
  return real_->measures();
}

bool watched_placement::keeps_order(const task& task) const noexcept {
  return real_->keeps_order(task);
}

bool watched_placement::is_tied(const task& task) const noexcept {
  return real_->is_tied(task);
}

worker* watched_placement::choose(const task& task, instant now) noexcept {
  auto* chosen = real_->choose(task, now);
  if (chosen != nullptr)
    real_->choose_among({*offered_.begin()}, task, now);
  chosen_ = real_->choose(task, now);
  expect(chosen == chosen_, "a question asked twice has the same answer");
  expect(chosen == nullptr || offered_.count(chosen) == 1,
         "only workers that are offered are chosen");
  expect(chosen != nullptr || task.key,
         "some worker is chosen where one is offered");
  if (model_ != nullptr)
    expect_choice(chosen, model_->choose(task, now));
  return chosen;
}

worker* watched_placement::choose_among(const std::vector<worker*>& some,
                                        const task& task,
                                        instant now) noexcept {
  auto* chosen = real_->choose_among(some, task, now);
  real_->choose(task, now);
  chosen_ = real_->choose_among(some, task, now);
  expect(chosen == chosen_,
         "a question asked twice has the same answer, also for some");
  expect(chosen == nullptr
           || std::find(some.begin(), some.end(), chosen) != some.end(),
         "one of some is chosen for tasks that may run there only");
  expect(chosen != nullptr || task.key,
         "some worker is chosen where one may run the task");
  if (model_ != nullptr)
    expect_choice(chosen, model_->choose_among(some, task, now));
  return chosen;
}

void watched_placement::ask_if_empty(instant now) {
  libpool::task nothing;
  if (offered_.empty())
    expect(real_->choose(nothing, now) == nullptr,
           "no worker is chosen where none is offered");
}

// -- what it knows ------------------------------------------------------------

bool watched_placement::is_on(const task& task, const worker& worker) const {
  auto i = on_.find(&task);
  return i != on_.end() && i->second == &worker;
}

void watched_placement::expect(bool holds, std::string_view law) noexcept {
  if (!holds && complaint_.empty())
    complaint_ = law;
}

void watched_placement::expect_choice(const worker* chosen,
                                      const worker* modelled) noexcept {
  if (chosen == modelled)
    return;
  auto name_of = [](const worker* worker) {
    return worker == nullptr
             ? "nobody"
             : std::to_string(static_cast<std::uint64_t>(worker->number));
  };
  expect(false, name_of(chosen) + " is chosen instead of " + name_of(modelled));
}

} // namespace test
