#include "words.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace pooltop {

namespace {

// From where on something is worth a sentence.
constexpr auto long_wait_s = 1.0;
constexpr auto short_run_s = 2.0; // no run shorter than this is a long one
constexpr auto long_run_s = 30.0; // where nobody knows how long tasks take
constexpr auto times_as_long = 10.0;
constexpr auto share_of_flood = 0.8;
constexpr auto least_flood = 10.0; // tasks
constexpr auto share_of_failures = 0.05;
constexpr auto nearly_full = 0.9;

using matter = std::optional<finding>;

matter warning(std::string sentence) {
  return finding{weight::warning, std::move(sentence)};
}

matter alarm(std::string sentence) {
  return finding{weight::alarm, std::move(sentence)};
}

double known(const value& number) {
  return number.value_or(0);
}

std::string quoted(const std::string& name) {
  return '\'' + name + '\'';
}

/// `: queue_full`, or nothing.
std::string because(const reasons& why) {
  return why.empty() ? "" : ": mostly " + why.front().first;
}

matter without_workers(const pool& pool) {
  if (pool.workers.value_or(1) > 0)
    return {};
  const auto waiting = known(pool.waiting);
  if (waiting > 0)
    return alarm("The pool has no workers, and " + counted(waiting, "task")
                 + (waiting == 1 ? " waits." : " wait."));
  return alarm("The pool has no workers.");
}

matter refusing(const pool& pool, const value& refusing_s) {
  const auto rate = known(pool.recent.refused_per_s);
  if (rate <= 0 && !refusing_s)
    return {};
  auto sentence = rate > 0 ? "Tasks are refused, " + rate_text(rate)
                           : "Tasks are refused";
  if (known(refusing_s) > 0)
    sentence += ", for at least " + time_text(refusing_s);
  return alarm(sentence + because(pool.refusals) + '.');
}

matter failing(const pool& pool) {
  const auto failed = known(pool.recent.failed_per_s);
  const auto ended = failed + known(pool.recent.completed_per_s);
  if (ended <= 0 || failed / ended < share_of_failures)
    return {};
  return alarm(percent_text(failed / ended) + " of the tasks fail"
               + because(pool.errors) + '.');
}

/// How long tasks take, as far as anything is known about it.
value usual_service_ms(const pool& pool, const member& of) {
  for (const auto& each : {pool.recent.service_ms.p99, of.mean_ms})
    if (known(each) > 0)
      return each;
  return {};
}

bool runs_long(const pool& pool, const member& each) {
  const auto running_s = known(each.running_for_s);
  const auto usual = usual_service_ms(pool, each);
  return running_s >= (usual
                         ? std::max(*usual / 1e3 * times_as_long, short_run_s)
                         : long_run_s);
}

std::string worker_text(const member& of) {
  auto result = "Worker " + count_text(of.number);
  return of.name.empty() ? result : result + ' ' + quoted(of.name);
}

matter stuck(const pool& pool) {
  const member* longest = nullptr;
  for (const auto& each : pool.members)
    if (runs_long(pool, each)
        && (longest == nullptr
            || *each.running_for_s > *longest->running_for_s))
      longest = &each;
  if (longest == nullptr)
    return {};
  auto sentence = worker_text(*longest) + " runs one task for "
                  + time_text(longest->running_for_s);
  if (known(pool.recent.service_ms.p99) > 0)
    sentence += "; 99 % take at most "
                + milliseconds_text(pool.recent.service_ms.p99);
  return warning(sentence + '.');
}

matter flooding(const pool& pool) {
  if (pool.flows.size() < 2)
    return {};
  const auto first = std::max_element(
    pool.flows.begin(), pool.flows.end(), [](const auto& a, const auto& b) {
      return known(a.waiting) < known(b.waiting);
    });
  const auto sum = std::accumulate(
    pool.flows.begin(), pool.flows.end(), 0.0,
    [](double all, const flow& each) { return all + known(each.waiting); });
  const auto all = std::max(sum, known(pool.waiting));
  const auto own = known(first->waiting);
  if (own < least_flood || own < all * share_of_flood)
    return {};
  const auto flood = first->name.empty()
                       ? "Tasks without a flow flood the pool: "
                       : "Flow " + quoted(first->name) + " floods the pool: ";
  return warning(flood + count_text(own) + " of " + count_text(all)
                 + " waiting tasks.");
}

matter behind(const pool& pool) {
  const auto workers = known(pool.workers);
  const auto waiting = known(pool.waiting);
  const auto oldest = known(pool.oldest_waiting_s);
  if (workers <= 0 || waiting <= 0 || oldest < long_wait_s)
    return {};
  const auto wait = counted(waiting, "task")
                    + (waiting == 1 ? " waits" : " wait") + ", the oldest for "
                    + time_text(oldest) + '.';
  if (!pool.busy)
    return warning(wait);
  if (*pool.busy >= workers)
    return warning(workers == 1 ? "The only worker is busy and " + wait
                                : "All " + count_text(workers)
                                    + " workers are busy and " + wait);
  return warning(count_text(workers - *pool.busy) + " of "
                 + counted(workers, "worker") + " idle, but " + wait);
}

matter filling(const pool& pool) {
  const auto room = known(pool.capacity);
  const auto waiting = known(pool.waiting);
  if (room <= 0 || waiting < room * nearly_full)
    return {};
  return warning("The queue is " + std::string{waiting < room ? "nearly " : ""}
                 + "full: " + count_text(waiting) + " of " + count_text(room)
                 + " tasks wait.");
}

matter overdue(const pool& pool) {
  const auto count = known(pool.overdue);
  if (count <= 0)
    return {};
  return warning(counted(count, "task") + (count == 1 ? " is" : " are")
                 + " over by now, but still "
                 + (count == 1 ? "runs." : "run."));
}

bool is_full(const stage& each) {
  return known(each.credit) > 0 && known(each.held) >= *each.credit;
}

std::vector<finding> findings_in(const std::vector<std::string>& sentences) {
  std::vector<finding> result;
  for (const auto& each : sentences)
    result.push_back({weight::warning, each});
  return result;
}

} // namespace

std::vector<finding> matters_of(const pool& pool, const value& refusing_s) {
  if (pool.matters)
    return findings_in(*pool.matters);
  std::vector<finding> result;
  for (auto& each : {without_workers(pool), refusing(pool, refusing_s),
                     failing(pool), stuck(pool), flooding(pool), behind(pool),
                     filling(pool), overdue(pool)})
    if (each)
      result.push_back(*each);
  return result;
}

/// Stages before one that is full become full as well, so the last one counts,
/// if there are items that it keeps waiting.
std::vector<finding> matters_of(const pipeline& pipeline) {
  if (pipeline.matters)
    return findings_in(*pipeline.matters);
  const auto last = std::find_if(pipeline.stages.rbegin(),
                                 pipeline.stages.rend(), is_full);
  if (last == pipeline.stages.rend())
    return {};
  const auto behind = std::accumulate(
    std::next(last), pipeline.stages.rend(), known(pipeline.waiting),
    [](double sum, const stage& each) { return sum + known(each.held); });
  if (behind <= 0)
    return {};
  return {{weight::warning,
           "Stage " + quoted(last->name) + " of pipeline "
             + quoted(pipeline.name) + " is full (" + count_text(last->held)
             + " of " + count_text(last->credit) + "), and "
             + counted(behind, "item")
             + (behind == 1 ? " waits for it." : " wait for it.")}};
}

} // namespace pooltop
