#include "event_log.hpp"

namespace poolsim {

namespace {

using action = user_event::action;

bool is_same_scope(const user_event& x, const user_event& y) {
  return x.flow == y.flow && x.worker == y.worker;
}

} // namespace

event_log::event_log(const scenario& scenario)
  : scenario_(scenario),
    flows_(scenario.flows.size()),
    workers_(scenario.workers.size()) {
  // nop
}

std::optional<duration> event_log::next() const {
  if (rows_.size() == scenario_.events.size())
    return std::nullopt;
  return scenario_.events[rows_.size()].at;
}

const user_event* event_log::take(duration now) {
  auto time = next();
  if (!time || *time > now)
    return nullptr;
  const auto& event = scenario_.events[rows_.size()];
  if (event.is == action::pause) {
    clock_of(event).begin(now);
    awaited_.push_back(rows_.size());
  } else if (event.is == action::resume) {
    clock_of(event).end(now);
    forget_awaited(event);
  }
  auto& added = rows_.emplace_back();
  added.at = event.at;
  added.is = event.is;
  return &event;
}

pause_clock& event_log::clock_of(const user_event& event) {
  if (event.flow)
    return flows_[*event.flow];
  return event.worker ? workers_[*event.worker] : pool_;
}

/// A pause that has ended does not wait any more.
void event_log::forget_awaited(const user_event& resumed) {
  auto is_over = [&](std::size_t row) {
    return is_same_scope(scenario_.events[row], resumed);
  };
  awaited_.erase(std::remove_if(awaited_.begin(), awaited_.end(), is_over),
                 awaited_.end());
}

void event_log::close(duration now, const std::vector<std::size_t>& flows,
                      result& result) const {
  result.events = rows_;
  result.paused = pool_.sum(now);
  for (std::size_t i = 0; i < flows.size(); ++i)
    result.flows[i].paused = flows_[flows[i]].sum(now);
  for (std::size_t i = 0; i < workers_.size(); ++i)
    result.workers[i].paused = workers_[i].sum(now);
}

} // namespace poolsim
