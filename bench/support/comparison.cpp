#include "support/comparison.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <thread>
#include <utility>

namespace bench {

namespace {

struct quartiles {
  double low = 0;
  double median = 0;
  double high = 0;
};

quartiles quartiles_of(std::vector<double> xs) {
  if (xs.empty())
    return {};
  std::sort(xs.begin(), xs.end());
  auto last = xs.size() - 1;
  return {xs[last / 4], xs[last / 2], xs[last - last / 4]};
}

/// Keeps the time of each repetition, in nanoseconds per operation.
class collecting_reporter final : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context&) override {
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (auto& run : runs)
      if (run.run_type == Run::RT_Iteration && !run.error_occurred) {
        // Google Benchmark divides by the operations of all threads.
        auto seconds = run.real_accumulated_time
                       / static_cast<double>(run.iterations)
                       * static_cast<double>(run.threads);
        times[run.run_name.function_name].push_back(seconds * 1e9);
      }
  }

  std::map<std::string, std::vector<double>> times;
};

std::string full_name(const question& q, const candidate& c) {
  return q.name + " | " + c.name;
}

/// Registers the candidates whose names match. Returns whether there are any.
bool register_those(const question& q, const std::regex& wanted,
                    long iterations) {
  auto is_any = false;
  for (auto& c : q.candidates) {
    if (!std::regex_search(full_name(q, c), wanted))
      continue;
    auto* registered = benchmark::RegisterBenchmark(full_name(q, c).c_str(),
                                                    c.run);
    registered->Threads(q.threads)->UseRealTime();
    is_any = true;
    if (iterations > 0)
      registered->Iterations(iterations);
  }
  return is_any;
}

nlohmann::json print(const question& q, const collecting_reporter& reporter) {
  auto measured = [&](const candidate& c) {
    return reporter.times.count(full_name(q, c)) > 0;
  };
  if (std::none_of(q.candidates.begin(), q.candidates.end(), measured))
    return nullptr;
  nlohmann::json rows = nlohmann::json::array();
  fmt::print("\n{}\n  {:40} {:>10} {:>19} {:>10} {:>8}\n", q.name, "", "ns/op",
             "quartiles", "added", "ratio");
  double base = 0;
  for (auto& c : q.candidates) {
    auto i = reporter.times.find(full_name(q, c));
    if (i == reporter.times.end())
      continue;
    auto [low, median, high] = quartiles_of(i->second);
    if (base == 0)
      base = median;
    fmt::print("  {:40} {:10.1f} {:8.1f} .. {:7.1f} {:+10.1f} {:8.2f}\n",
               c.name, median, low, high, median - base, median / base);
    rows.push_back({{"name", c.name},
                    {"median_ns", median},
                    {"quartiles_ns", {low, high}},
                    {"added_ns", median - base},
                    {"ratio", median / base},
                    {"runs_ns", i->second}});
  }
  return {{"question", q.name}, {"threads", q.threads}, {"candidates", rows}};
}

/// Ends the program, with a message, if it lives for longer than a question may
/// take.
class time_limit {
public:
  time_limit(std::string question, std::chrono::seconds most)
    : thread_([this, most, what = std::move(question)] { watch(what, most); }) {
    // nop
  }

  ~time_limit() {
    {
      std::lock_guard guard{mutex_};
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

private:
  void watch(const std::string& what, std::chrono::seconds most) {
    std::unique_lock guard{mutex_};
    if (changed_.wait_for(guard, most, [this] { return is_over_; }))
      return;
    fmt::print(stderr, "'{}' has taken more than {} s (--time-limit)\n", what,
               most.count());
    std::_Exit(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_; // last, because it uses the others
};

} // namespace

int compare(int argc, char** argv, const std::vector<question>& questions) {
  CLI::App app{"Measures candidates side by side, interleaved in one process"};
  std::string json_file;
  std::string filter = ".";
  int repetitions = 15;
  double min_time = 0.05;
  long iterations = 0;
  int most_seconds = 600;
  app.add_option("--json", json_file, "Write the results to this file, too");
  app.add_option("--filter", filter,
                 "Only names that match, 'question | name'");
  app.add_option("--repetitions", repetitions, "Repetitions of each candidate")
    ->check(CLI::PositiveNumber);
  app.add_option("--min-time", min_time, "Seconds per repetition")
    ->check(CLI::PositiveNumber);
  app.add_option("--iterations", iterations,
                 "Number of operations, run once: for use under a profiler");
  app
    .add_option("--time-limit", most_seconds,
                "Seconds after which a question ends the program")
    ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& told) {
    std::exit(app.exit(told)); // of the help, too
  }
  if (iterations > 0)
    repetitions = 1;

  std::vector<std::string> flags{
    argv[0], "--benchmark_enable_random_interleaving=true",
    fmt::format("--benchmark_repetitions={}", repetitions),
    fmt::format("--benchmark_min_time={}", min_time)};
  std::vector<char*> pointers;
  for (auto& flag : flags)
    pointers.push_back(flag.data());
  auto count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  const std::regex wanted{filter};
  auto results = nlohmann::json::array();
  for (auto& q : questions) {
    collecting_reporter reporter;
    if (!register_those(q, wanted, iterations))
      continue;
    const time_limit limit{q.name, std::chrono::seconds{most_seconds}};
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks(); // they refer to actors of the
                                            // caller's
    if (auto result = print(q, reporter); !result.is_null())
      results.push_back(std::move(result));
    std::fflush(stdout);
  }
  if (json_file.empty())
    return 0;
  std::ofstream out{json_file};
  out << results.dump(2) << '\n';
  out.close();
  if (!out) {
    fmt::print(stderr, "cannot write {}\n", json_file);
    return 1;
  }
  return 0;
}

} // namespace bench
