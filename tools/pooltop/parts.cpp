#include "parts.hpp"

#include "drawing.hpp"
#include "numbers.hpp"

#include "libpool/core/pool_figures.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace pooltop {

namespace {

std::string name_of(const std::string& name) {
  return name.empty() ? "(no name)" : name;
}

bool is_some(const value& number) {
  return number.value_or(0) != 0;
}

line fact(const std::string& name, const std::string& text) {
  return line{name + ' ', look::faint}.add(text);
}

std::string workers_text(const pool& of) {
  auto result = count_text(of["workers"]);
  const auto busy = of["busy"];
  return busy ? result + " (" + count_text(busy) + " busy)" : result;
}

std::string waiting_text(const pool& of) {
  auto result = count_text(waiting_in(of));
  const auto capacity = of["capacity"];
  return capacity ? result + " of " + count_text(capacity) : result;
}

/// Adds a number if it is not zero. Its name is the end of its name in JSON.
void add_count(std::vector<line>& to, const row& of, std::string name,
               look as = look::plain) {
  const auto count = of[name];
  if (!is_some(count))
    return;
  name.erase(0, name.rfind('.') + 1);
  std::replace(name.begin(), name.end(), '_', ' ');
  to.push_back(line{name + ' ', look::faint}.add(count_text(count), as));
}

/// Adds the counts since the start, as they are described for servers.
template <class Stats>
void add_counts(std::vector<line>& to, const row& of,
                const std::string& within) {
  libpool::for_each_figure<Stats>([&](const auto& each) {
    using type = typename std::decay_t<decltype(each)>::value_type;
    if (each.json_name == nullptr)
      return;
    auto name = within + each.json_name;
    if constexpr (libpool::is_described<type>)
      add_counts<type>(to, of, name.empty() ? name : name + '.');
    else if (each.kind == libpool::figure_kind::counter)
      add_count(to, of, name);
  });
}

line course(const char* name, const std::vector<value>& values,
            const std::string& highest, std::size_t width,
            const symbols& with) {
  constexpr std::size_t name_width = 12;
  constexpr std::size_t rest = 22; // with the text behind it
  const auto cells = std::min(width > rest ? width - rest : 1,
                              history::most_samples);
  line result{name, look::faint};
  result.pad_to(name_width).add(sparkline(values, cells, with));
  return result.add(" max " + highest, look::faint);
}

template <class Member>
std::vector<value> values_of(const past& of, Member member) {
  std::vector<value> result;
  for (const auto& each : of.samples)
    result.push_back(each.*member);
  return result;
}

value highest_of(const std::vector<value>& values) {
  value result;
  for (const auto& each : values)
    if (each && (!result || *each > *result))
      result = each;
  return result;
}

line latency(const std::string& name, const pool& of) {
  constexpr std::size_t column = 8;
  line result{name, look::faint};
  result.pad_to(8);
  for (const char* each : {"p50", "p95", "p99"}) {
    const auto text = milliseconds_text(of["window." + name + "_ms." + each]);
    result.pad_to(result.width() + column - std::min(text.size(), column - 1))
      .add(text);
  }
  return result;
}

void add_reasons(std::vector<line>& to, const char* name, const reasons& of) {
  for (const auto& [why, count] : of) {
    line each;
    if (&why == &of.front().first)
      each.add(name, look::faint).add(" ");
    to.push_back(each.add(why + " (" + count_text(count) + ')'));
  }
}

line stage_line(const row& of) {
  const auto is_full = is_some(of["is_full"]);
  const auto is_slowest = is_some(of["is_slowest"]);
  auto text = '[' + name_of(of.name) + ' ' + count_text(of["held"]) + '/'
              + count_text(of["credit"]);
  if (of["completed_per_s"])
    text += ' ' + rate_text(of["completed_per_s"]);
  text += is_full ? " full" : "";
  return line{text + (is_slowest ? " slowest]" : "]"),
              is_full || is_slowest ? look::warning : look::plain};
}

std::vector<line> stages_of(const pipeline& of, std::size_t width,
                            const symbols& with) {
  std::vector<line> items{line{name_of(of.name) + ':', look::strong}};
  if (is_some(of["waiting"]))
    items.emplace_back(count_text(of["waiting"]));
  for (const auto& each : of.stages) {
    const auto is_first = items.size() == 1;
    line item{is_first ? "" : std::string{with.arrow} + ' ', look::faint};
    items.push_back(item.add(stage_line(each)));
  }
  add_count(items, of, "failed");
  return flowing(items, width, 1);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

std::vector<line> lines_of(const finding& of, std::size_t width) {
  return wrapped(of.loses_tasks ? "!! " : "!  ", of.sentence,
                 of.loses_tasks ? look::alarm : look::warning, width);
}

/// At the end of the line, instead of what is there.
void put_at_end(line& to, const line& text, std::size_t width) {
  const auto room = width - std::min(width, text.width());
  to.cut_to(room, " ").pad_to(room).add(text);
}

std::vector<finding> all_matters(const snapshot& of, const pool* chosen) {
  std::vector<finding> result;
  if (chosen != nullptr)
    result = chosen->matters;
  for (const auto& line : of.pipelines)
    for (const auto& each : line.matters)
      result.push_back({line.name + ": " + each.sentence, each.loses_tasks});
  return result;
}

} // namespace

std::vector<line> chooser(const snapshot& of, const pool* chosen,
                          std::size_t width) {
  std::vector<line> items;
  for (const auto& each : of.pools)
    items.push_back(&each == chosen
                      ? line{'[' + name_of(each.name) + ']', look::chosen}
                      : line{' ' + name_of(each.name) + ' '});
  if (items.empty())
    items.emplace_back("The server shows no pools.", look::strong);
  return flowing(items, width);
}

std::vector<line> facts(const pool& of, std::size_t width) {
  std::vector<line> items;
  items.emplace_back(of.policy.empty() ? "(custom policy)" : of.policy,
                     look::strong);
  if (is_some(of["is_paused"]))
    items.emplace_back("paused", look::warning);
  items.push_back(fact("workers", workers_text(of)));
  items.push_back(fact("waiting", waiting_text(of)));
  items.push_back(fact("oldest", time_text(of["oldest_waiting_s"])));
  items.push_back(fact("arrived", rate_text(of["window.arrived_per_s"])));
  items.push_back(fact("completed", rate_text(of["window.completed_per_s"])));
  items.push_back(fact("failed", percent_text(failed_share(of))));
  if (const auto share = error_answer_share(of); is_some(share))
    items.push_back(line{"error answers ", look::faint}.add(percent_text(share),
                                                            look::warning));
  add_count(items, of, "running");
  add_count(items, of, "held");
  add_count(items, of, "parked");
  add_count(items, of, "retrying");
  add_count(items, of, "overdue", look::warning);
  add_count(items, of, "leaving", look::warning);
  if (const auto count = of["stand_ins"]; is_some(count))
    items.push_back(
      line{"stand-ins ", look::faint}.add(count_text(count), look::warning));
  return flowing(items, width);
}

std::vector<line> matters(const snapshot& of, const pool* chosen,
                          std::size_t width, std::size_t most) {
  std::vector<line> result;
  std::size_t left = 0;
  for (const auto& each : all_matters(of, chosen)) {
    auto sentence = lines_of(each, width);
    if (left > 0 || (!result.empty() && result.size() + sentence.size() > most))
      ++left;
    else
      append(result, std::move(sentence));
  }
  if (result.size() > most)
    result.resize(most);
  if (left > 0)
    put_at_end(result.back(), line{" +" + std::to_string(left), look::strong},
               width);
  return result;
}

std::vector<line> courses(const past& of, std::size_t width,
                          const symbols& with) {
  constexpr std::size_t wide = 130;
  const auto is_wide = width >= wide;
  const auto each = is_wide ? (width - 2) / 2 : width;
  const auto waiting = values_of(of, &sample::waiting);
  const auto rates = values_of(of, &sample::completed_per_s);
  auto first = course("waiting", waiting, count_text(highest_of(waiting)), each,
                      with);
  const auto second = course("completed/s", rates,
                             count_text(highest_of(rates)), each, with);
  if (!is_wide)
    return {first, second};
  return {first.pad_to(each + 2).add(second)};
}

std::vector<line> latencies(const pool& of, std::size_t width) {
  line title{"p50 p95 p99", look::faint};
  std::vector<line> items{title, latency("wait", of), latency("service", of)};
  return flowing(items, width);
}

std::vector<line> totals(const pool& of, std::size_t width) {
  std::vector<line> items;
  add_counts<libpool::pool_figures>(items, of, {});
  add_count(items, of, "stolen");
  return flowing(items, width);
}

std::vector<line> why(const pool& of, std::size_t width) {
  std::vector<line> items;
  add_reasons(items, "refused:", of.refusals);
  add_reasons(items, "errors:", of.errors);
  return flowing(items, width);
}

std::vector<line> pipelines(const snapshot& of, std::size_t width,
                            const symbols& with) {
  std::vector<line> result;
  for (const auto& each : of.pipelines)
    append(result, stages_of(each, width, with));
  return result;
}

} // namespace pooltop
