#include "report.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <ostream>
#include <string>

namespace poolsim {

namespace {

std::string with_decimals(double number) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data();
}

/// Returns a time in milliseconds; empty for a time that was not reached.
std::string in_ms(duration time) {
  return time == not_yet
           ? std::string{}
           : with_decimals(static_cast<double>(time.count()) / 1e6);
}

/// Returns the name of a flow as a cell: on one line, and without a separator
/// of cells.
std::string cell_of(const std::string& flow) {
  auto result = nlohmann::json(flow).dump();
  for (auto at = result.find('|'); at != std::string::npos;
       at = result.find('|', at + 2))
    result.insert(at, 1, '\\');
  return result;
}

/// Returns the numbers with their reasons, such as "2 deadline_exceeded".
std::string listed_reasons(const libpool::reason_counts& of) {
  std::string result;
  of.for_each([&](libpool::errc why, std::uint64_t count) {
    result += result.empty() ? "" : ", ";
    result += std::to_string(count) + ' ' + libpool::name_of(why);
  });
  return result.empty() ? "0" : result;
}

void write_level(std::ostream& out, const char* name, const level& of) {
  out << "| " << name << " | " << with_decimals(of.mean) << " | " << of.most
      << " |\n";
}

} // namespace

void write_table(std::ostream& out, const result& result) {
  out << "| flow | submitted | completed | with an error | failed | cancelled "
         "| refused | attempts, mean | most | retried errors | parked, mean | "
         "most | paused, ms | response, ms: mean | p99 |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
         "--- | --- | --- | --- |\n";
  for (const auto& each : result.flows)
    out << "| " << cell_of(each.name) << " | " << each.submitted << " | "
        << each.completed << " | " << each.errors.answered << " | "
        << listed_reasons(each.failed_by) << " | "
        << listed_reasons(each.cancelled_by) << " | " << each.refused << " | "
        << with_decimals(each.attempts.mean) << " | " << each.attempts.most
        << " | " << each.errors.retried << " | "
        << with_decimals(each.parked.mean) << " | " << each.parked.most << " | "
        << in_ms(each.paused) << " | " << in_ms(each.latency.response.mean)
        << " | " << in_ms(each.latency.response.p99) << " |\n";
  out << "\n| waiting tasks | mean | most |\n| --- | --- | --- |\n";
  write_level(out, "parked", result.parked);
  write_level(out, "retrying", result.retrying);
}

} // namespace poolsim
