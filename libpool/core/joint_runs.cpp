#include "libpool/core/joint_runs.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <utility>

namespace libpool {

joint_runs::~joint_runs() {
  for (auto& each : runs_) {
    each.leader->own_notes().run = nullptr;
    each.joiners.clear_and_dispose(
      [](task* joiner) { joiner->own_notes().run = nullptr; });
  }
}

std::size_t joint_runs::hash::operator()(const joint_key& key) const noexcept {
  auto result = std::hash<std::string>{}(key.name);
  boost::hash_combine(result, key.where);
  boost::hash_combine(result, key.flow);
  boost::hash_combine(result, key.priority);
  boost::hash_combine(result,
                      key.home ? static_cast<std::uint64_t>(*key.home) + 1 : 0);
  return result;
}

/// Tasks that ask for the same result may be of different flows, priorities and
/// homes.
joint_key joint_runs::key_of(const task& task) const {
  const auto& notes = task.notes();
  joint_key result{*notes.run_key, notes.where, 0, 0, {}};
  if (rule_.is_batch) {
    result.flow = task.flow.key().hash();
    result.priority = notes.priority;
    result.home = notes.home;
  }
  return result;
}

joint_run* joint_runs::open_for(const task& task) {
  if (task.notes().bytes > rule_.bytes)
    return nullptr;
  auto i = open_.find(key_of(task));
  return i == open_.end() ? nullptr : i->second;
}

joint_run& joint_runs::make(task& leader) {
  runs_.emplace_front();
  auto& run = runs_.front();
  run.place = runs_.begin();
  run.leader = &leader;
  run.bytes = leader.notes().bytes;
  leader.own_notes().run = &run;
  return run;
}

joint_run& joint_runs::lead(task& task) {
  auto& run = make(task);
  run.key = key_of(task);
  open_again(run);
  if (rule_.in_turn)
    await_turn(run);
  return run;
}

/// The first run of a key in the line has its turn.
void joint_runs::await_turn(joint_run& run) {
  auto& line = turns_[run.key];
  run.waits_for_turn = !line.empty();
  line.push_back(&run);
}

void joint_runs::end_turn(joint_run& run) noexcept {
  auto line = turns_.find(run.key);
  line->second.remove(&run);
  if (line->second.empty())
    turns_.erase(line);
  else if (std::exchange(line->second.front()->waits_for_turn, false))
    next_in_turn_ = line->second.front();
}

void joint_runs::join(task& task, joint_run& run) {
  task.own_notes().run = &run;
  run.joiners.push_back(task);
  run.bytes += task.notes().bytes;
  if (run.size() >= rule_.most || run.bytes >= rule_.bytes)
    close(run);
}

void joint_runs::close(joint_run& run) noexcept {
  if (std::exchange(run.is_open, false))
    open_.erase(run.key);
}

void joint_runs::open_again(joint_run& run) {
  auto is_as_made = run.leader->notes().where == run.key.where;
  if (!run.is_open && is_as_made && run.size() < rule_.most
      && run.bytes < rule_.bytes)
    run.is_open = open_.try_emplace(run.key, &run).second;
}

std::vector<joint_run*> joint_runs::held_runs() {
  std::vector<joint_run*> result;
  if (held_ > 0)
    for (auto& each : runs_)
      if (each.is_held)
        result.push_back(&each);
  return result;
}

std::size_t joint_runs::waiting_joiners() const noexcept {
  std::size_t result = 0;
  for (const auto& each : runs_)
    if (each.leader->is < task::condition::sent)
      result += each.joiners.size();
  return result;
}

std::vector<joint_run*> joint_runs::waiting_for_turn() {
  std::vector<joint_run*> result;
  for (auto& line : turns_)
    std::copy_if(line.second.begin(), line.second.end(),
                 std::back_inserter(result),
                 [](const auto* run) { return run->waits_for_turn; });
  return result;
}

task* joint_runs::leave(task& task) noexcept {
  auto& run = *std::exchange(task.own_notes().run, nullptr);
  run.bytes -= task.notes().bytes;
  if (run.leader != &task) {
    run.joiners.erase(run.joiners.iterator_to(task));
    return nullptr;
  }
  if (run.joiners.empty()) {
    hold(run, false);
    close(run);
    if (rule_.in_turn)
      end_turn(run);
    runs_.erase(run.place);
    return nullptr;
  }
  run.leader = &run.joiners.front();
  run.joiners.pop_front();
  return run.leader;
}

task& joint_runs::split(joint_run& run, std::size_t n) {
  assert(n >= 1 && n <= run.joiners.size());
  auto first = std::prev(run.joiners.end(), static_cast<std::ptrdiff_t>(n));
  auto& leader = *first;
  task_list rest;
  rest.splice(rest.end(), run.joiners, std::next(first), run.joiners.end());
  run.joiners.pop_back();
  auto& half = make(leader);
  while (!rest.empty()) {
    auto& each = rest.front();
    rest.pop_front();
    half.joiners.push_back(each);
    each.own_notes().run = &half;
  }
  half.key = run.key;
  return leader;
}

} // namespace libpool
