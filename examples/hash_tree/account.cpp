#include "account.hpp"

#include "format.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace hash_tree {

namespace {

std::string milliseconds(libpool::duration time) {
  const std::chrono::duration<double, std::milli> in_ms = time;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f ms", in_ms.count());
  return text.data();
}

std::string line(std::size_t number, const worker_tally& of) {
  return "worker " + std::to_string(number) + ": " + std::to_string(of.files)
         + " files, " + human_bytes(static_cast<double>(of.bytes));
}

std::string service_line(const libpool::worker_stats& of) {
  return "service: " + milliseconds(of.busy) + " in all, "
         + milliseconds(of.mean_service) + " on average, "
         + milliseconds(of.max_service) + " at most";
}

std::string waiting_line(const libpool::all_workers_stats& of) {
  return "waiting: half of the requests at most "
         + milliseconds(of.waits.percentile(50)) + ", 99 % at most "
         + milliseconds(of.waits.percentile(99));
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
  return std::to_string(state.kills) + " workers killed, "
         + std::to_string(state.pool->restarts) + " replaced; "
         + std::to_string(tasks.accepted)
         + " accepted = " + std::to_string(tasks.completed) + " completed + "
         + std::to_string(tasks.failed) + " failed + "
         + std::to_string(tasks.cancelled) + " cancelled";
}

bool is_settled(const libpool::ledger& books) {
  return books.balances() && books.open() == 0;
}

} // namespace hash_tree
