#include "account.hpp"

#include <nlohmann/json.hpp>

namespace gateway {

prometheus::MetricFamily account::metric() const {
  prometheus::MetricFamily result;
  result.name = "gateway_answers_total";
  result.help = "Answers to clients, by tenant and status; 499: the client had "
                "gone before the answer.";
  result.type = prometheus::MetricType::Counter;
  for (const auto& [of, count] : answers_) {
    prometheus::ClientMetric each;
    each.label = {{"tenant", of.first}, {"code", std::to_string(of.second)}};
    each.counter.value = static_cast<double>(count);
    result.metric.push_back(each);
  }
  return result;
}

std::string account::ledger(const libpool::pool_stats& of_pool,
                            std::uint64_t retries) const {
  const auto& tasks = of_pool.tasks;
  nlohmann::json result{
    {"accepted", tasks.accepted},
    {"refused", of_pool.refused},
    {"waiting", tasks.waiting + tasks.assigned + tasks.sent},
    {"running", tasks.running},
    {"completed", tasks.completed},
    {"failed", tasks.failed},
    {"cancelled", tasks.cancelled},
    {"error_answers", of_pool.error_answers},
    {"retries", retries},
    {"retries_refused", of_pool.retries_refused},
    {"reasons", nlohmann::json::object()},
    {"answers", nlohmann::json::object()},
    {"tenants", nlohmann::json::object()}};
  const auto note = [&](libpool::errc why, std::uint64_t count) {
    auto& reason = result["reasons"][libpool::name_of(why)];
    reason = (reason.is_null() ? 0 : reason.get<std::uint64_t>()) + count;
  };
  of_pool.refusals.for_each(note);
  of_pool.errors.for_each(note);
  for (const auto& [of, count] : answers_) {
    const auto status = std::to_string(of.second);
    auto& all = result["answers"][status];
    all = (all.is_null() ? 0 : all.get<std::uint64_t>()) + count;
    if (!of.first.empty())
      result["tenants"][of.first][status] = count;
  }
  return result.dump();
}

} // namespace gateway
