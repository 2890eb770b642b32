#include "account.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace hash_tree {

namespace {

std::string milliseconds(libpool::duration time) {
  const std::chrono::duration<double, std::milli> in_ms = time;
  return fmt::format("{:.3f} ms", in_ms.count());
}

std::string line(std::size_t number, const worker_tally& tally) {
  return fmt::format("worker {}: {} files, {}", number, tally.files.load(),
                     console::human_bytes(tally.bytes));
}

std::string service_line(const libpool::worker_stats& stats) {
  return fmt::format("service time: {} in total, {} on average, {} at most",
                     milliseconds(stats.busy), milliseconds(stats.mean_service),
                     milliseconds(stats.max_service));
}

std::string waiting_line(const libpool::all_workers_stats& stats) {
  return fmt::format("waiting time: p50 {}, p99 {}",
                     milliseconds(stats.waits.percentile(50)),
                     milliseconds(stats.waits.percentile(99)));
}

} // namespace

std::vector<std::string> stats_lines(const run_state& state) {
  std::vector<std::string> out;
  for (const auto& tally : state.tallies)
    out.push_back(line(out.size() + 1, tally));
  if (state.pool) {
    out.push_back(service_line(state.pool->total));
    out.push_back(waiting_line(state.pool->total));
  }
  return out;
}

std::string chaos_line(const run_state& state) {
  const auto& tasks = state.pool->tasks;
  return fmt::format("{} workers killed, {} replaced; {} accepted = "
                     "{} completed + {} failed + {} cancelled",
                     state.kills.load(), state.pool->restarts, tasks.accepted,
                     tasks.completed, tasks.failed, tasks.cancelled);
}

bool is_settled(const libpool::ledger& books) {
  return books.balances() && books.open() == 0;
}

} // namespace hash_tree
