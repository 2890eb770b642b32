#include "poolsim/expectations.hpp"

#include "poolsim/times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace test {

namespace {

using nlohmann::json;
using counts = std::vector<std::size_t>;
using check = std::function<void(const observed&, const json&)>;

std::int64_t time_in(const json& value) {
  return value.is_string()
           ? poolsim::time_of(value.get_ref<const std::string&>()).count()
           : value.get<std::int64_t>();
}

const observed_task& task_of(const observed& run, const std::string& id) {
  return run.tasks.at(std::stoul(id));
}

/// Checks each member of an object: a key, and what is wanted of it.
template <class Visit>
void for_each_in(const json& wanted, Visit visit) {
  for (const auto& entry : wanted.items()) {
    const auto& key = entry.key();
    CAPTURE(key);
    visit(key, entry.value());
  }
}

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

// -- workers ------------------------------------------------------------------

void check_workers(const observed& run, std::size_t first, const json& wanted) {
  auto found = json::array();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    found.push_back(json_of(run.tasks.at(first + i).worker));
  }
  CHECK(found == wanted);
}

void check_worker_of(const observed& run, const json& wanted) {
  for_each_in(wanted, [&](const std::string& id, const json& worker) {
    CHECK(json_of(task_of(run, id).worker) == worker);
  });
}

void check_worker_not(const observed& run, const json& wanted) {
  for_each_in(wanted, [&](const std::string& id, const json& workers) {
    for (const auto& each : workers)
      CHECK(json_of(task_of(run, id).worker) != each);
  });
}

counts completed_per_worker(const observed& run) {
  counts result;
  for (const auto& row : run.result.at("workers"))
    result.push_back(row.at("completed").get<std::size_t>());
  return result;
}

void check_completed_between(const observed& run, const json& wanted) {
  auto completed = completed_per_worker(run);
  REQUIRE(completed.size() == wanted.size());
  for (std::size_t i = 0; i < completed.size(); ++i) {
    CAPTURE(i);
    CHECK(completed[i] >= wanted[i][0].get<std::size_t>());
    CHECK(completed[i] <= wanted[i][1].get<std::size_t>());
  }
}

counts held_by(const json& worker) {
  auto result = worker.at("running").get<counts>();
  for (const auto& each : worker.at("queued"))
    result.push_back(each.get<std::size_t>());
  return result;
}

counts counts_at_until(const observed& run) {
  counts result;
  for (const auto& row : run.result.at("workers"))
    result.push_back(held_by(row).size());
  return result;
}

/// The costs of moving the tasks of each worker, in milliseconds.
std::vector<std::vector<double>> prices_at_until(const observed& run) {
  std::vector<std::vector<double>> result;
  for (const auto& row : run.result.at("workers")) {
    auto& prices = result.emplace_back();
    for (auto task : held_by(row)) {
      const auto& move = run.works[task].front()->move;
      prices.push_back(
        move.empty() ? 0 : static_cast<double>(move.front().count()) / 1e6);
    }
  }
  return result;
}

/// The workers may be in any order, and so may the tasks of each.
void check_prices_at_until(const observed& run, const json& wanted) {
  auto found = prices_at_until(run);
  auto expected = wanted.get<decltype(found)>();
  for (auto* all : {&found, &expected}) {
    for (auto& each : *all)
      std::sort(each.begin(), each.end());
    std::sort(all->begin(), all->end());
  }
  CHECK(json(found) == json(expected));
}

void check_busy_share(const observed& run, const json& wanted) {
  auto weights = wanted.at(0).get<std::vector<double>>();
  auto tolerance = wanted.at(1).get<double>();
  std::vector<double> busy;
  for (const auto& row : run.result.at("workers"))
    busy.push_back(row.at("busy").get<double>());
  REQUIRE(busy.size() == weights.size());
  auto all = std::accumulate(busy.begin(), busy.end(), 0.0);
  auto weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(busy[i] / all - weights[i] / weight)
          <= tolerance * weights[i] / weight);
  }
}

// -- flows --------------------------------------------------------------------

/// Whether a value is as near to another as `[value, tolerance]` says.
bool is_within(double is, const json& wanted) {
  auto value = wanted.at(0).get<double>();
  auto tolerance = wanted.at(1).get<double>();
  return std::abs(is - value)
         <= (value == 0 ? tolerance : tolerance * std::abs(value));
}

/// One statement for the first window, or a list with one for each.
void check_means(const observed& run, const json& wanted, bool is_meant) {
  for_each_in(wanted, [&](const std::string& flow, const json& statements) {
    const auto& means = run.flow(flow).at("mean_seats");
    auto is_single = !statements.empty() && statements[0].is_number();
    auto all = is_single ? json::array({statements}) : statements;
    REQUIRE(means.size() >= all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      CAPTURE(i);
      CAPTURE(means[i].get<double>());
      if (!all[i].is_null())
        CHECK(is_within(means[i].get<double>(), all[i]) == is_meant);
    }
  });
}

check of_flows(const char* count) {
  return [count](const observed& run, const json& wanted) {
    for_each_in(wanted, [&](const std::string& flow, const json& number) {
      CHECK(run.flow(flow).at(count) == number);
    });
  };
}

void check_ledger_entries(const observed& run, const json& wanted) {
  for_each_in(wanted, [&](const std::string& name, const json& number) {
    CHECK(run.result.at("ledger").at(name) == number);
  });
}

// -- tasks --------------------------------------------------------------------

using optional_time = std::optional<std::int64_t> observed_task::*;

check is_at(optional_time member) {
  return [member](const observed& run, const json& wanted) {
    for_each_in(wanted, [&](const std::string& id, const json& time) {
      auto expected = time.is_null() ? json() : json(time_in(time));
      CHECK(json_of(task_of(run, id).*member) == expected);
    });
  };
}

template <class Compare>
check starts(Compare compare) {
  return [compare](const observed& run, const json& wanted) {
    for_each_in(wanted, [&](const std::string& id, const json& time) {
      const auto& is = task_of(run, id).started;
      REQUIRE(is.has_value());
      CAPTURE(*is);
      CHECK(compare(*is, time_in(time)));
    });
  };
}

void check_outcomes(const observed& run, const json& wanted) {
  for_each_in(wanted, [&](const std::string& id, const json& fate) {
    const auto& is = task_of(run, id);
    auto says_why = fate.get<std::string>().find(':') != std::string::npos;
    CHECK((says_why ? is.outcome : is.fate()) == fate);
  });
}

void check_start_order(const observed& run, const json& wanted) {
  std::vector<std::pair<std::int64_t, std::size_t>> starts;
  for (const auto& each : run.tasks)
    if (each.started)
      starts.emplace_back(*each.started, each.id);
  std::sort(starts.begin(), starts.end());
  auto order = json::array();
  for (const auto& each : starts)
    if (order.size() < wanted.size())
      order.push_back(each.second);
  CHECK(order == wanted);
}

// -- totals -------------------------------------------------------------------

template <class Compare>
check total(const char* key, Compare compare) {
  return [key, compare](const observed& run, const json& wanted) {
    CAPTURE(key);
    CAPTURE(run.number(key));
    CHECK(compare(run.number(key), time_in(wanted)));
  };
}

std::map<std::string, check> known_checks() {
  const std::equal_to<> equal;
  const std::less_equal<> at_most;
  const std::greater_equal<> at_least;
  return {
    {"workers_of_tasks",
     [](const observed& run, const json& wanted) {
       check_workers(run, 0, wanted);
     }},
    {"workers_of_tasks_from",
     [](const observed& run, const json& wanted) {
       check_workers(run, wanted.at(0).get<std::size_t>(), wanted.at(1));
     }},
    {"worker_of", check_worker_of},
    {"worker_not", check_worker_not},
    {"completed_per_worker",
     [](const observed& run, const json& wanted) {
       CHECK(json(completed_per_worker(run)) == wanted);
     }},
    {"completed_per_worker_between", check_completed_between},
    {"counts_at_until",
     [](const observed& run, const json& wanted) {
       CHECK(json(counts_at_until(run)) == wanted);
     }},
    {"counts_at_until_sorted", check_prices_at_until},
    {"busy_share", check_busy_share},
    {"mean_seats", [](const observed& run,
                      const json& wanted) { check_means(run, wanted, true); }},
    {"mean_seats_not_within",
     [](const observed& run, const json& wanted) {
       check_means(run, wanted, false);
     }},
    {"refused", of_flows("refused")},
    {"completed", of_flows("completed")},
    {"submitted", of_flows("submitted")},
    {"failed", of_flows("failed")},
    {"cancelled", of_flows("cancelled")},
    {"ledger", check_ledger_entries},
    {"outcomes", check_outcomes},
    {"started", is_at(&observed_task::started)},
    {"finished", is_at(&observed_task::finished)},
    {"started_at_most", starts(at_most)},
    {"started_at_least", starts(at_least)},
    {"start_order", check_start_order},
    {"makespan", total("makespan", equal)},
    {"makespan_at_most", total("makespan", at_most)},
    {"makespan_at_least", total("makespan", at_least)},
    {"now", total("now", equal)},
    {"steals", total("steals", equal)},
  };
}

} // namespace

void check_expectation(const observed& run, const std::string& key,
                       const json& wanted) {
  static const auto checks = known_checks();
  auto i = checks.find(key);
  REQUIRE_MESSAGE(i != checks.end(), "unknown expectation: " << key);
  CAPTURE(key);
  i->second(run, wanted);
}

} // namespace test
