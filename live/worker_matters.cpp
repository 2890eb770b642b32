#include "libpool/live/worker_matters.hpp"

#include "libpool/live/words.hpp"

#include <algorithm>
#include <chrono>

namespace libpool::live {

namespace {

std::string name_of(const member_stats& member) {
  return "worker " + std::to_string(member.number);
}

/// Of the workers that have done enough to tell, the one in the middle;
/// zero if there are too few of them.
duration usual_service(const std::vector<const member_stats*>& known) {
  if (known.size() < 2)
    return duration{0};
  std::vector<duration> times;
  for (const auto* each : known)
    times.push_back(each->mean_service);
  auto middle = times.begin()
                + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<const member_stats*> known_workers(const pool_stats& now) {
  constexpr std::uint64_t enough = 10;
  std::vector<const member_stats*> result;
  for (const auto& each : now.members)
    if (each.completed >= enough)
      result.push_back(&each);
  return result;
}

const member_stats* busiest(const pool_stats& now) {
  auto has_less = [](const member_stats& x, const member_stats& y) {
    return x.in_flight < y.in_flight;
  };
  auto i = std::max_element(now.members.begin(), now.members.end(), has_less);
  return i == now.members.end() ? nullptr : &*i;
}

} // namespace

void tell_slow_workers(std::vector<std::string>& to, const pool_stats& now) {
  constexpr auto several = 4;
  auto known = known_workers(now);
  auto usual = usual_service(known);
  for (const auto* each : known)
    if (usual > duration{0} && each->mean_service >= several * usual)
      to.push_back(name_of(*each) + " takes " + in_words(each->mean_service)
                   + " for a task, the others " + in_words(usual));
}

void tell_uneven(std::vector<std::string>& to, const pool_stats& now) {
  constexpr std::size_t many = 10;
  auto idle = now.workers - std::min(now.busy, now.workers);
  const auto* most = busiest(now);
  if (idle > 0 && most != nullptr && most->in_flight > many)
    to.push_back(name_of(*most) + " has " + grouped(most->in_flight)
                 + " tasks, while " + counted(idle, "other")
                 + (idle == 1 ? " is idle" : " are idle"));
}

void tell_tiny(std::vector<std::string>& to, const pool_stats& changed,
               duration lately) {
  using namespace std::chrono_literals;
  constexpr duration tiny = 2us;
  constexpr auto many_a_second = 20'000;
  auto seconds = std::chrono::duration<double>{lately}.count();
  auto rate = static_cast<double>(changed.tasks.completed) / seconds;
  auto half = changed.total.services.percentile(50);
  if (seconds > 0 && rate >= many_a_second && half < tiny)
    to.emplace_back(
      "half of the tasks take less than 2 us, as long as it takes "
      "to send one: a message should have more to do");
}

} // namespace libpool::live
