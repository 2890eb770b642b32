#include "libpool/observability/live/answer_problems.hpp"

#include "libpool/observability/live/number_words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace libpool::live {

namespace {

constexpr auto many = 0.01;

/// Error answers of a group of tasks, and the tasks that were completed.
struct error_share {
  std::uint64_t errors = 0;
  std::uint64_t completed = 0;
  std::map<std::string, std::uint64_t> by_error = {};
  std::map<std::string, std::uint64_t> by_kind = {};

  void add(const error_answer_stats& row) {
    errors += row.count;
    by_error[row.name] += row.count;
    by_kind[row.kind] += row.count;
  }

  double share() const {
    return completed == 0 ? 0
                          : std::min(1.0, static_cast<double>(errors)
                                            / static_cast<double>(completed));
  }
};

/// Returns the name with the largest number; empty if that is less than half.
std::string most_of(const std::map<std::string, std::uint64_t>& numbers,
                    std::uint64_t all) {
  for (const auto& [name, number] : numbers)
    if (2 * number >= all)
      return name;
  return {};
}

/// The most frequent error and kind, if one of several is most frequent.
std::string mostly(const error_share& share, bool has_kinds) {
  auto error = most_of(share.by_error, share.errors);
  auto kind = has_kinds ? most_of(share.by_kind, share.errors) : std::string{};
  auto word = share.by_error.size() > 1 ? ", mostly " : ": ";
  return (error.empty() ? "" : word + error)
         + (kind.empty() ? "" : ", mostly to messages of the kind " + kind);
}

std::uint64_t served_by(const pool_stats& stats, const std::string& flow) {
  for (const auto& each : stats.flows)
    if (each.name == flow)
      return each.served;
  return 0;
}

/// The flows that were served since then.
std::map<std::string, error_share>
shares_of_flows(const pool_stats& now, const pool_stats& earlier,
                const std::vector<error_answer_stats>& errors) {
  std::map<std::string, error_share> result;
  for (const auto& each : now.flows)
    if (auto before = served_by(earlier, each.name); each.served > before)
      result[each.name].completed = each.served - before;
  for (const auto& each : errors)
    if (auto i = result.find(each.flow); i != result.end())
      i->second.add(each);
  return result;
}

problem problem_of(const error_share& share, const std::string& flow,
                   const std::string& lately, bool has_kinds) {
  return {percent(share.share()) + " of the tasks" + flow
            + " were answered with errors" + lately + mostly(share, has_kinds),
          "error-answers", true};
}

} // namespace

std::vector<error_answer_stats> error_answers_since(const pool_stats& now,
                                                    const pool_stats& earlier) {
  std::vector<error_answer_stats> result;
  for (auto row : now.answered_errors) {
    auto is_same = [&](const error_answer_stats& x) {
      return std::tie(x.name, x.flow, x.kind)
             == std::tie(row.name, row.flow, row.kind);
    };
    auto i = std::find_if(earlier.answered_errors.begin(),
                          earlier.answered_errors.end(), is_same);
    if (i != earlier.answered_errors.end())
      row.count -= std::min(row.count, i->count);
    if (row.count > 0)
      result.push_back(std::move(row));
  }
  std::stable_sort(
    result.begin(), result.end(),
    [](const auto& x, const auto& y) { return x.count > y.count; });
  return result;
}

void tell_error_answers(std::vector<problem>& problems, const pool_sample& now,
                        const recent_past& before) {
  constexpr std::size_t most_told = 3;
  if (before.beginning == nullptr)
    return;
  const auto& earlier = before.beginning->stats;
  auto changed = now.stats.since(earlier);
  auto errors = error_answers_since(now.stats, earlier);
  auto has_kinds = now.kinds > 1;
  auto lately = " in the last " + in_words(now.at - before.beginning->at);
  auto flows = shares_of_flows(now.stats, earlier, errors);
  std::vector<std::pair<std::string, error_share>> bad;
  for (const auto& each : flows)
    if (each.second.share() >= many)
      bad.emplace_back(each);
  auto is_some = bad.size() <= most_told && bad.size() < flows.size();
  if (bad.size() == 1 || is_some) {
    for (const auto& [name, share] : bad)
      problems.push_back(
        problem_of(share, name.empty() ? " without a flow" : " of flow " + name,
                   lately, has_kinds));
    return;
  }
  error_share all;
  for (const auto& each : errors)
    all.add(each);
  all.errors = changed.error_answers; // rows are known of the last ones only
  all.completed = changed.tasks.completed;
  if (all.share() >= many)
    problems.push_back(problem_of(all, "", lately, has_kinds));
}

} // namespace libpool::live
