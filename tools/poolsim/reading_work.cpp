#include "reading_parts.hpp"

#include "libpool/policies/order/priority.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace poolsim {

namespace {

/// A priority is worth that many steps of age.
void check_priority(const element& element, std::int64_t priority,
                    std::optional<duration> age_step) {
  if (!age_step)
    return;
  auto most = longest_work.count() / age_step->count();
  if (priority > most || priority < -most)
    element.fail_bound("between -" + std::to_string(most) + " and "
                       + std::to_string(most) + " with this age_step");
}

} // namespace

void check_last(const element& element, duration first, duration step,
                std::size_t count) {
  auto room = (longest_time - first).count();
  if (count > 1 && step > duration{0}
      && step.count() > room / static_cast<std::int64_t>(count - 1))
    element.fail("the last time must not be later than 2^60 ns");
}

work_reader::work_reader(scenario& scenario) : to_(scenario) {
  for (std::size_t i = 0; i < scenario.workers.size(); ++i)
    if (scenario.workers[i].speed < scenario.workers[slowest_].speed)
      slowest_ = i;
}

void work_reader::read_tasks(const element& element) {
  to_.tasks.reserve(element.size());
  for (std::size_t i = 0; i < element.size(); ++i)
    to_.tasks.push_back(read_task(element.at(i)));
}

void work_reader::read_clients(const element& element) {
  for (std::size_t i = 0; i < element.size(); ++i)
    to_.clients.push_back(read_client(element.at(i)));
}

task_group work_reader::read_task(const element& element) {
  element.expect_keys({"at",       "service",  "flow",         "width",
                       "priority", "kind",     "estimate",     "home",
                       "only",     "loose",    "move",         "count",
                       "every",    "deadline", "deadline_of",  "obeys_stop",
                       "errors",   "bytes",    "result_bytes", "rates",
                       "results"});
  task_group result;
  if (auto x = element.find("at"))
    result.at = x->time();
  if (auto x = element.find("count"))
    result.count = x->count(1, most_tasks);
  if (auto x = element.find("every"))
    read_every(*x, result);
  if (auto x = element.find("rates")) {
    for (const char* key : {"at", "count", "every"})
      if (auto y = element.find(key))
        y->fail("must not be given with the member rates");
    read_rates(*x, result);
  }
  if (auto x = element.find("priority")) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    result.priority = x->integer(-most, most);
    if (const auto* options =
          to_.how.order.options_as<libpool::priority_options>())
      check_priority(*x, result.priority, options->age_step);
  }
  if (auto x = element.find("kind"))
    result.kind = x->text();
  if (auto x = element.find("results"))
    result.results = x->count(1, most_tasks);
  if (auto x = element.find("estimate"))
    result.estimate = x->time();
  read_places(element, result);
  check_places(element);
  read_common(element, result);
  count(element, result, result.count);
  return result;
}

client work_reader::read_client(const element& element) {
  element.expect_keys({"flow", "threads", "calls", "service", "think", "width",
                       "start", "stagger", "deadline", "deadline_of",
                       "obeys_stop", "errors", "bytes", "result_bytes"});
  client result;
  if (auto x = element.find("threads"))
    result.threads = x->count(1, most_tasks);
  if (auto x = element.find("calls"))
    result.calls = x->count(1, most_tasks);
  if (auto x = element.find("think"))
    result.think = x->time_of_any_sign();
  if (auto x = element.find("start"))
    result.start = x->time();
  if (auto x = element.find("stagger")) {
    result.stagger = x->time();
    check_last(*x, result.start, result.stagger, result.threads);
  }
  read_common(element, result);
  if (auto x = element.find("think"))
    if (result.think > longest_time / static_cast<std::int64_t>(result.calls))
      x->fail("the sum of all pauses must be at most 2^60 ns");
  count(element, result, result.threads * result.calls);
  return result;
}

void work_reader::read_every(const element& element, task_group& group) {
  if (!element.is_object()) {
    group.every = element.time();
    return check_last(element, group.at, group.every, group.count);
  }
  group.gaps = read_distribution(element);
  check_last(element, group.at, group.gaps->least_room(), group.count);
  if (group.count > 1)
    group.gaps->most = (longest_time - group.at)
                       / static_cast<std::int64_t>(group.count - 1);
}

/// Times and rates. No Poisson number exceeds the bound in practice: it is
/// twelve standard deviations above the mean.
void work_reader::read_rates(const element& element, task_group& group) {
  for (std::size_t i = 0; i < element.size(); ++i) {
    auto point = element.at(i);
    if (point.size() != 2)
      point.fail("must have a time and the number of tasks per second");
    group.rates.push_back({point.at(0).time(), point.at(1).amount()});
    if (i > 0 && group.rates[i].at < group.rates[i - 1].at)
      point.at(0).fail("must not be before the time of the point above");
  }
  auto mean = expected_arrivals(group.rates);
  if (mean <= 0)
    element.fail("must have two points at least, and a rate above 0");
  auto bound = mean + 12 * std::sqrt(mean) + 100;
  if (bound > static_cast<double>(most_tasks))
    element.fail("the scenario must have at most " + std::to_string(most_tasks)
                 + " tasks in total");
  group.count = static_cast<std::size_t>(bound);
}

/// The members that tasks and clients have in common.
void work_reader::read_common(const element& element, work& work) {
  auto service = element.at("service");
  if (service.is_object())
    work.draws = read_distribution(service);
  else
    work.service = service.one_or(to_.workers.size());
  if (auto x = element.find("width"))
    work.width = x->count(1, most_tasks);
  work.deadline = to_.deadline;
  if (auto x = element.find("deadline"))
    work.deadline = x->time_above_zero();
  if (auto x = element.find("deadline_of")) {
    work.deadline_of = read_time_choice(*x);
    if (!work.deadline_of->draws)
      x->time_above_zero();
  }
  if (auto x = element.find("obeys_stop"))
    work.obeys_stop = x->truth();
  if (auto x = element.find("errors"))
    work.errors = read_errors(*x, to_);
  read_sizes(element, work);
  auto flow = element.find("flow");
  work.flow = flow_named(flow ? flow->text() : std::string{});
}

/// What travels to nodes and back.
void work_reader::read_sizes(const element& element, work& work) const {
  for (const char* key : {"bytes", "result_bytes"})
    if (auto x = element.find(key); x && !to_.nodes)
      x->fail("must not be given without nodes");
  if (to_.nodes)
    check_work_of_nodes(element);
  if (auto x = element.find("bytes"))
    work.bytes = read_size(*x);
  if (auto x = element.find("result_bytes"))
    work.result_bytes = read_size(*x);
}

/// Where the tasks are to run, and what it costs to run them elsewhere.
void work_reader::read_places(const element& element, work& work) {
  if (auto x = element.find("home"))
    work.home = x->number_of(to_.workers.size());
  auto loose = element.find("loose");
  auto is_loose = loose && loose->truth();
  auto only = element.find("only");
  if (only)
    work.where = choice_of(read_numbers(*only), is_loose);
  else if (loose && !to_.nodes)
    loose->fail("has no effect without the member 'only'");
  if (auto x = element.find("move"))
    work.move = x->one_or(to_.workers.size());
}

/// A gather that asks particular workers leaves nothing else the choice.
void work_reader::check_places(const element& element) const {
  if (to_.gather == nullptr
      || to_.gather->asks().to == libpool::scatter::target::parts)
    return;
  for (const char* key : {"home", "only", "move"})
    if (auto x = element.find(key))
      x->fail("must not be given with a gather that chooses workers");
}

/// Numbers of workers, ascending, each once.
std::vector<std::size_t>
work_reader::read_numbers(const element& element) const {
  if (element.size() == 0)
    element.fail("must not be empty");
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < element.size(); ++i)
    result.push_back(element.at(i).number_of(to_.workers.size()));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::size_t work_reader::flow_named(const std::string& name) {
  auto [i, is_new] = flows_.emplace(name, to_.flows.size());
  if (is_new)
    to_.flows.push_back(name);
  return i->second;
}

std::size_t work_reader::choice_of(std::vector<std::size_t> only, bool loose) {
  auto [i, is_new] = choices_.emplace(std::pair{std::move(only), loose},
                                      to_.choices.size());
  if (is_new)
    to_.choices.push_back({i->first.first, loose});
  return i->second;
}

/// Counts these tasks in; there must not be too many, nor too much to do.
void work_reader::count(const element& element, const work& work,
                        std::size_t many) {
  auto each_has = most_tasks_of_message(to_);
  many = many > most_tasks / each_has ? most_tasks + 1 : many * each_has;
  tasks_ += many;
  if (tasks_ > most_tasks)
    element.fail("the scenario must have at most " + std::to_string(most_tasks)
                 + " tasks in total");
  auto each = longest_run(work).count();
  auto room = (longest_work - work_).count();
  if (each >= room / static_cast<std::int64_t>(many))
    element.fail_at("service",
                    "the total time of all tasks must be below 2^62 ns");
  work_ += duration{each * static_cast<std::int64_t>(many)};
  if (work.draws)
    drawn_ += many;
}

/// Each has the room that it was counted in with, and its part of the rest.
void work_reader::bound_draws() {
  if (drawn_ == 0)
    return;
  auto rest = static_cast<double>((longest_work - work_).count())
              / static_cast<double>(drawn_) * to_.workers[slowest_].speed;
  auto bound = [&](work& work) {
    if (!work.draws || work.draws->is_bounded())
      return;
    auto least = work.draws->least_room();
    auto more = static_cast<double>((longest_time - least).count());
    work.draws->most =
      least + duration{static_cast<std::int64_t>(std::min(rest, more))};
  };
  for (auto& each : to_.tasks)
    bound(each);
  for (auto& each : to_.clients)
    bound(each);
}

/// No worker is longer at it; all of them are looked at only if they differ.
duration work_reader::longest_run(const work& work) const {
  auto result = duration{0};
  if (work.draws)
    result = run_time(to_, work, work.draws->least_room(), slowest_);
  if (work.service.size() == 1)
    result = run_time(to_, work, slowest_);
  if (work.service.size() > 1)
    for (std::size_t i = 0; i < to_.workers.size(); ++i)
      result = std::max(result, run_time(to_, work, i));
  if (to_.pay_moves && !work.move.empty())
    result += *std::max_element(work.move.begin(), work.move.end());
  return std::min(result, longest_work);
}

} // namespace poolsim
