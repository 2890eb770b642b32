#include "libpool/observability/live/worker_problems.hpp"

#include "libpool/observability/live/number_words.hpp"

#include <algorithm>
#include <chrono>

namespace libpool::live {

std::string name_of(const member_stats& member) {
  return "worker " + std::to_string(member.number);
}

namespace {

/// Returns the median service time of the workers that have completed enough
/// tasks; zero if there are too few of them.
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

const member_stats* most_loaded(const pool_stats& now) {
  auto has_less = [](const member_stats& x, const member_stats& y) {
    return x.in_flight < y.in_flight;
  };
  auto i = std::max_element(now.members.begin(), now.members.end(), has_less);
  return i == now.members.end() ? nullptr : &*i;
}

/// A mean over workers.
struct mean_share {
  double sum = 0;
  std::size_t workers = 0;

  void add(double share) {
    sum += share;
    ++workers;
  }

  double value() const {
    return sum / static_cast<double>(workers);
  }
};

mean_share busy_shares(const pool_sample& now, const past_sample* since,
                       const member_stats* but) {
  mean_share result;
  for (const auto& each : now.stats.members)
    if (&each != but && !each.is_leaving)
      if (auto share = busy_share(each, now, since))
        result.add(*share);
  return result;
}

/// Whether the worker has its tasks for a moment only, such as those of a
/// lease.
bool has_short_work(const member_stats& worker, instant now) {
  constexpr duration moment = std::chrono::milliseconds{10};
  auto tasks = static_cast<duration::rep>(worker.in_flight);
  return worker.mean_service > duration{0}
         && worker.mean_service < moment / tasks
         && (worker.running_since == never
             || now - worker.running_since < moment);
}

} // namespace

std::optional<double> busy_share(const pool_sample& now,
                                 const past_sample* since) {
  auto shares = busy_shares(now, since, nullptr);
  return shares.workers == 0 ? std::nullopt : std::optional{shares.value()};
}

std::string idle_others(const pool_sample& now, const past_sample* since,
                        const member_stats* one) {
  constexpr auto hardly = 0.1;
  auto others = busy_shares(now, since, one);
  if (others.workers == 0 || 1 - others.value() < hardly)
    return {};
  return "while the other "
         + (others.workers == 1 ? "worker was"
                                : grouped(others.workers) + " workers were")
         + " idle for " + percent(1 - others.value()) + " of the last "
         + in_words(now.at - since->at);
}

const member_stats* busiest(const pool_sample& now, const past_sample* since) {
  const member_stats* result = nullptr;
  auto most = -1.0;
  for (const auto& each : now.stats.members)
    if (auto share = busy_share(each, now, since).value_or(-1); share > most) {
      most = share;
      result = &each;
    }
  return result;
}

void tell_slow_workers(std::vector<problem>& problems, const pool_stats& now) {
  constexpr auto several = 4;
  auto known = known_workers(now);
  auto usual = usual_service(known);
  for (const auto* each : known)
    if (usual > duration{0} && each->mean_service >= several * usual)
      problems.push_back(
        {name_of(*each) + " takes " + in_words(each->mean_service)
           + " per task on average, the other workers " + in_words(usual),
         "one-slow-worker", false, each->number});
}

void tell_uneven(std::vector<problem>& problems, const pool_sample& now,
                 const past_sample* since) {
  constexpr std::size_t many = 10;
  const auto* most = most_loaded(now.stats);
  if (most == nullptr || most->in_flight <= many
      || has_short_work(*most, now.stats.taken))
    return;
  auto idle = idle_others(now, since, most);
  if (!idle.empty())
    problems.push_back(
      {name_of(*most) + " has " + grouped(most->in_flight) + " tasks, " + idle,
       "one-slow-worker", false, most->number});
}

void tell_tiny(std::vector<problem>& problems, const pool_stats& changed,
               duration lately) {
  using namespace std::chrono_literals;
  constexpr duration tiny = 2us;
  constexpr auto many_a_second = 20'000;
  auto seconds = std::chrono::duration<double>{lately}.count();
  auto rate = static_cast<double>(changed.tasks.completed) / seconds;
  auto half = changed.total.services.percentile(50);
  if (seconds > 0 && rate >= many_a_second && half < tiny)
    problems.push_back(
      {"half of the tasks take less than 2 µs, about the time it "
       "takes to send a message: put more work into each message",
       "tasks-too-small"});
}

} // namespace libpool::live
