#include "compare.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hash_tree {

namespace {

constexpr std::size_t rounds = 3;
constexpr std::size_t most_shares = 8;

/// Adds up results, and keeps a digest of them. In little time, since plain
/// threads do without.
class summing_sink final : public sink {
public:
  explicit summing_sink(sink* next = nullptr) : next_(next) {
    // nop
  }

  void settled(const result& result) override {
    sums.count(result);
    entry_.assign(result.path).push_back('\0');
    entry_.append(result.value.begin(), result.value.end());
    entry_.append(result.error).push_back('\0');
    results_.add(entry_.data(), entry_.size());
    if (next_ != nullptr)
      next_->settled(result);
  }

  digest fingerprint() {
    return results_.finish();
  }

  totals sums;

private:
  running_digest results_;
  std::string entry_; ///< kept for its memory
  sink* next_;
};

/// A contestant's measured runs.
struct runs {
  std::string name;
  std::vector<comparison_row> rows;
};

comparison_row median(std::vector<comparison_row> rows) {
  const auto middle = rows.begin() + static_cast<long>(rows.size() / 2);
  std::nth_element(
    rows.begin(), middle, rows.end(),
    [](const auto& x, const auto& y) { return x.seconds < y.seconds; });
  return *middle;
}

/// Carries out the comparison, one run after the other.
class contest {
public:
  contest(caf::actor_system& system, const job& job, std::atomic<bool>& stop,
          const std::function<void(const std::string&)>& announce)
    : system_(system), job_(job), stop_(stop), announce_(announce) {
    // nop
  }

  comparison hold(sink& first) {
    warm_up(first);
    for (std::size_t i = 1; i <= rounds && !stop_; ++i)
      hold_round(fmt::format("round {} of {}: ", i, rounds));
    return summary();
  }

private:
  void warm_up(sink& first) {
    announce_("reading all files once");
    run_state state{job_.workers, stop_};
    summing_sink sums{&first};
    run_pool(system_, pool_policies().front(), job_, sums, state);
    expected_ = sums.fingerprint();
    out_.files = sums.sums.files;
    out_.bytes = sums.sums.bytes;
    out_.workers = job_.workers;
    contestants_.push_back({"(plain threads)", {}});
    for (const auto& policy : pool_policies())
      contestants_.push_back({std::string{policy.name}, {}});
  }

  void hold_round(const std::string& title) {
    run_state state{job_.workers, stop_};
    announce_(title + contestants_.front().name);
    note(contestants_.front(), run_threads(job_, state), state);
    for (std::size_t i = 0; i < pool_policies().size() && !stop_; ++i) {
      announce_(title + contestants_[i + 1].name);
      hold_run(pool_policies()[i], contestants_[i + 1]);
    }
  }

  void hold_run(const pool_policy& policy, runs& into) {
    run_state state{job_.workers, stop_};
    summing_sink sums;
    note(into, run_pool(system_, policy, job_, sums, state), state);
    auto& odd = out_.different;
    const bool known = !odd.empty() && odd.back() == into.name;
    if (sums.fingerprint() != expected_ && !known && !stop_)
      odd.push_back(into.name);
  }

  void note(runs& into, double seconds, const run_state& state) {
    const auto mib = static_cast<double>(out_.bytes) / (1024 * 1024);
    into.rows.push_back({into.name, seconds, mib / seconds, 0, state.shares()});
  }

  comparison summary() {
    if (stop_)
      return out_;
    out_.ideal = median(contestants_.front().rows);
    out_.ideal.over_ideal = 1;
    for (std::size_t i = 1; i < contestants_.size(); ++i) {
      out_.policies.push_back(median(contestants_[i].rows));
      auto& row = out_.policies.back();
      row.over_ideal = row.seconds / out_.ideal.seconds;
    }
    return out_;
  }

  caf::actor_system& system_;
  const job& job_;
  std::atomic<bool>& stop_;
  const std::function<void(const std::string&)>& announce_;
  comparison out_;
  digest expected_{};
  std::vector<runs> contestants_;
};

/// "25.0 25.0 25.0 25.0", or for many workers the extremes.
std::string shares_text(const std::vector<double>& shares) {
  if (shares.size() <= most_shares)
    return fmt::format("{:.1f}", fmt::join(shares, " "));
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  return fmt::format("{:.1f} to {:.1f}", *least, *most);
}

std::string line(const comparison_row& row) {
  return fmt::format("{:<32} {:>9.3f} {:>10.1f} {:>8.2f}   {}\n", row.policy,
                     row.seconds, row.mib_per_second, row.over_ideal,
                     shares_text(row.shares));
}

} // namespace

comparison compare(caf::actor_system& system, const job& job, sink& first,
                   std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& announce) {
  return contest{system, job, stop, announce}.hold(first);
}

std::string table(const comparison& comparison) {
  auto out = fmt::format(
    "{} files, {}, {} workers; medians of {} runs\n\n", comparison.files,
    console::human_bytes(comparison.bytes), comparison.workers, rounds);
  out += fmt::format("{:<32} {:>9} {:>10} {:>8}   {}\n", "policy", "seconds",
                     "MiB/s", "x ideal",
                     "share of each worker in the work, in %");
  out += line(comparison.ideal);
  for (const auto& row : comparison.policies)
    out += line(row);
  return out;
}

} // namespace hash_tree
