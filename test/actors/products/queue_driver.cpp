#include "queue_driver.hpp"

#include <algorithm>
#include <functional>

using namespace std::chrono_literals;

namespace products {

bool queue_driver::step(std::uint64_t draw, libpool::instant now) {
  look(now);
  std::vector<std::function<void()>> possible;
  if (is_up_)
    for (const auto& each : queue.submitted)
      possible.emplace_back([this, id = each.first] {
        auto taken = queue.submitted.extract(id);
        stored_[++last_number_] = {taken.key(), std::move(taken.mapped())};
      });
  auto takes = queue.fronts > 0 && !queue.is_closed;
  for (auto& each : stored_) {
    auto number = each.first;
    auto& mine = each.second;
    if (is_up_ && !mine.is_confirmed && !mine.is_forgotten)
      possible.emplace_back([this, &mine] {
        mine.is_confirmed = true;
        queue.client->accepted(mine.id);
      });
    if (is_up_ && mine.is_settled)
      possible.emplace_back([this, number] {
        auto id = stored_.extract(number).mapped().id;
        auto result = std::make_shared<std::string>(queue.results.at(number));
        queue.client->answered(id, {result, *result});
      });
    if (takes && mine.front == 0 && !mine.is_settled && mine.due <= now)
      possible.emplace_back([this, number, &mine] {
        mine.front = queue.last_front;
        queue.give(number, mine.content, mine.attempt,
                   number % 2 == 0 ? "alice" : "bob");
      });
  }
  if (possible.empty())
    return false;
  possible[draw % possible.size()]();
  return true;
}

void queue_driver::set_line(bool is_up) {
  is_up_ = is_up;
  if (is_up)
    queue.client->came_up();
  else
    queue.client->went_down("the line is interrupted");
}

std::size_t queue_driver::open() const {
  auto is_open = [](const auto& each) { return !each.second.is_settled; };
  return queue.submitted.size()
         + static_cast<std::size_t>(
           std::count_if(stored_.begin(), stored_.end(), is_open));
}

/// Notes what the ends of the queue have done since the last step.
void queue_driver::look(libpool::instant now) {
  constexpr auto pause = 1ms;
  for (auto number : std::exchange(queue.settled, {}))
    if (auto* mine = taken_from_front(number, "settled"))
      mine->is_settled = true;
  for (auto number : std::exchange(queue.returned, {}))
    if (taken_from_front(number, "put back") != nullptr) {
      auto again = stored_.extract(number);
      again.key() = ++last_number_;
      again.mapped().front = 0;
      again.mapped().due = now + pause;
      stored_.insert(std::move(again));
    }
  for (auto& each : stored_)
    if (auto& mine = each.second;
        mine.front != 0 && !mine.is_settled
        && (queue.fronts == 0 || mine.front != queue.last_front)) {
      mine.front = 0;
      ++mine.attempt;
      ++lost_;
    }
  for (const auto& id : std::exchange(queue.forgotten, {})) {
    queue.submitted.erase(id);
    for (auto& each : stored_)
      each.second.is_forgotten |= each.second.id == id;
  }
  for (auto i = stored_.begin(); i != stored_.end();)
    i = i->second.is_settled && i->second.is_forgotten ? stored_.erase(i)
                                                       : std::next(i);
}

queue_driver::submission* queue_driver::taken_from_front(std::uint64_t number,
                                                         const char* what) {
  auto found = stored_.find(number);
  if (found != stored_.end() && found->second.front != 0
      && !found->second.is_settled)
    return &found->second;
  violations_.push_back("a front has " + std::string{what}
                        + " a submission that it does not have");
  return nullptr;
}

} // namespace products
