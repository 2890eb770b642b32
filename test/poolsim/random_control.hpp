#pragma once

#include "libpool/core/splitmix64.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace test {

/// Composes the members of scenarios with pauses, limits, cancels, errors,
/// retries and deadlines by a seed, without a policy. All pauses and limits end
/// by 20 ms.
///
/// Worker 0 and worker 1 are always there; worker 2 joins at 0 and leaves,
/// worker 3 crashes, worker 4 joins later.
class random_control {
public:
  /// `may_limit_rate`: whether limits may contain rates.
  random_control(std::uint64_t seed, bool may_limit_rate)
    : seed_(seed), draws_(seed), may_limit_rate_(may_limit_rate) {
    // nop
  }

  /// Returns members with workers. `members_of_scenario`: further members.
  std::string with_workers() {
    return R"("workers": [{"count": 2}, {"leave": "7ms"}, {"crash": "5ms"},
                          {"join": "3ms"}], )"
           + rest(true);
  }

  /// Returns members with workers that may get several tasks together.
  std::string with_leases() {
    return R"("leases": true, )" + with_workers();
  }

  /// Returns members with nodes. Node 0 and node 1 are always there.
  std::string with_nodes() {
    return R"("terms": {"lease": "4ms"}, "nodes": [
                {"count": 2, "slots": 2, "latency": "100us"}, {"leave": "7ms"},
                {"losses": [{"is": "killed", "at": "3ms", "for": "2ms"},
                            {"is": "cut", "at": "12ms", "for": "1ms"}]},
                {"join": "3ms"}], )"
           + rest(false);
  }

private:
  static constexpr std::size_t end_of_events = 20'000; // in microseconds

  static std::string us(std::size_t time) {
    return "\"" + std::to_string(time) + "us\"";
  }

  bool chance(std::size_t of) {
    return draws_.below(of) == 0;
  }

  std::string one_of(std::initializer_list<const char*> all) {
    return *(all.begin() + draws_.below(all.size()));
  }

  std::string rest(bool may_end_early) {
    auto result = "\"seed\": " + std::to_string(seed_) + tasks(may_end_early)
                  + events() + retries();
    if (may_end_early && chance(2))
      result += std::string{R"(, "deadline": "9ms")"}
                + (chance(2) ? R"(, "drop_hopeless": true)" : "");
    if (may_end_early && chance(2))
      result += R"(, "time_limit": "1500us", "stand_ins": )"
                + std::to_string(draws_.below(3));
    if (chance(3))
      result += R"(, "capacity": 20)";
    if (chance(2))
      result += R"(, "throttles": )" + throttles(1);
    return result;
  }

  std::string tasks(bool may_end_early) {
    std::string result{R"(, "tasks": [)"};
    for (const char* flow : {"a", "b", "c"})
      result += R"({"count": 25, "flow": ")" + std::string{flow}
                + R"(", "kind": ")" + (*flow == 'b' ? "k" : one_of({"k", "l"}))
                + R"(", "service": {"distribution": "exponential",
                                    "mean": "800us"}, "every": )"
                + us(100 + draws_.below(300)) + ends(may_end_early, chance(2))
                + (*flow == 'c' ? "}" : "}, ");
    return result + R"(], "clients": [{"threads": 2, "calls": 10, "flow": "d",
                        "service": "500us", "think": "200us")"
           + ends(may_end_early, true) + "}]";
  }

  /// Members about the ends of tasks.
  std::string ends(bool may_end_early, bool has_errors) {
    std::string result;
    if (may_end_early && chance(2))
      result += R"(, "obeys_stop": true)";
    if (may_end_early && chance(3))
      result += R"(, "deadline_of": {"distribution": "uniform", "low": "2ms",
                                     "high": "12ms"})";
    if (has_errors)
      result += R"(, "errors": {"busy": 0.3, "bad": 0.1})";
    return result;
  }

  std::string throttles(std::size_t least) {
    auto has_rate = may_limit_rate_ && chance(2);
    return R"({"all": {"most_running": )" + std::to_string(3 + least)
           + R"(}, "each_flow": {)"
           + (has_rate ? R"("per_second": 3000, "burst": 2, "counts_retries": )"
                           + std::string{chance(2) ? "true, " : "false, "}
                       : "")
           + R"("most_running": )" + std::to_string(least + draws_.below(3))
           + R"(}, "flows": {"a": {"most_running": )"
           + std::to_string(least + draws_.below(2)) + "}}}";
  }

  /// A pause of the scope that begins at a random time, and its end.
  std::string pause_of(const std::string& scope) {
    auto from = draws_.below(end_of_events / 2);
    auto to = from + 1 + draws_.below(end_of_events / 4);
    return R"({"do": "pause", "at": )" + us(from) + scope
           + R"(}, {"do": "resume", "at": )" + us(to) + scope + "}, ";
  }

  std::string events() {
    std::string result{R"(, "events": [)"};
    for (const char* scope : {"", R"(, "flow": "a")", R"(, "flow": "d")",
                              R"(, "worker": 0)", R"(, "worker": 1)"})
      if (chance(2))
        result += pause_of(scope);
    for (auto left = draws_.below(3); left > 0; --left)
      result += R"({"do": "set_limits", "at": )"
                + us(draws_.below(end_of_events)) + R"(, "throttles": )"
                + throttles(0) + "}, ";
    for (auto left = draws_.below(4); left > 0; --left)
      result += R"({"do": "cancel", "at": )" + us(draws_.below(end_of_events))
                + one_of({"", R"(, "flow": "b")", R"(, "kind": "k")",
                          R"(, "flow": "d")"})
                + "}, ";
    return result + R"({"do": "set_limits", "throttles": {}, "at": )"
           + us(end_of_events) + "}]";
  }

  std::string retries() {
    std::string result;
    auto on_errors = chance(2);
    if (on_errors)
      result += R"(, "retry_on": {"errors": ["busy"], "attempts": 4)"
                + std::string{chance(2) ? R"(, "after": "3ms"})" : "}"};
    if (on_errors && chance(2))
      result += R"(, "backoff": {"first": "2ms"})";
    if (on_errors && chance(2))
      result += R"(, "retry_budget": {"share": 0.5, "at_least": 1})";
    if (chance(2))
      result += R"(, "on_crash": "retry")";
    return result;
  }

  std::uint64_t seed_;
  libpool::splitmix64 draws_;
  bool may_limit_rate_;
};

} // namespace test
