#include "report.hpp"

#include "times.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace poolsim {

namespace {

/// Returns the number of code points in the cell, which is in UTF-8.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
    std::count_if(cell.begin(), cell.end(), [](char each) {
      return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U;
    }));
}

std::vector<std::size_t> widths_of(const std::vector<cells>& rows) {
  std::vector<std::size_t> result(rows.front().size(), 4); // as "---:"
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      result[i] = std::max(result[i], width_of(row[i]));
  return result;
}

} // namespace

std::string with_decimals(double number) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data();
}

std::string cell_of(duration time) {
  return time == not_yet ? "-" : readable(time);
}

void write_aligned(std::ostream& out, const std::vector<cells>& rows) {
  const auto widths = widths_of(rows);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out << '|';
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const auto& cell = rows[row][i];
      const std::string padding(widths[i] - width_of(cell), ' ');
      out << ' ' << (i == 0 ? cell + padding : padding + cell) << " |";
    }
    out << '\n';
    if (row > 0)
      continue;
    out << '|';
    for (std::size_t i = 0; i < widths.size(); ++i)
      out << ' ' << std::string(widths[i] - 1, '-') << (i == 0 ? "-" : ":")
          << " |";
    out << '\n';
  }
}

namespace {

/// Returns the name of a flow as a cell: on one line, and without a separator
/// of cells.
std::string flow_cell_of(const std::string& flow) {
  auto result = nlohmann::json(flow).dump();
  for (auto index = result.find('|'); index != std::string::npos;
       index = result.find('|', index + 2))
    result.insert(index, 1, '\\');
  return result;
}

/// Returns the numbers with their reasons, such as "2 deadline_exceeded".
std::string listed_reasons(const libpool::reason_counts& counts) {
  std::string result;
  counts.for_each([&](libpool::errc why, std::uint64_t count) {
    result += result.empty() ? "" : ", ";
    result += std::to_string(count) + ' ' + libpool::name_of(why);
  });
  return result.empty() ? "0" : result;
}

// -- tables -------------------------------------------------------------------

cells row_of(const flow_row& row) {
  const auto& response = row.latency.response;
  return {flow_cell_of(row.name),
          std::to_string(row.submitted),
          std::to_string(row.completed),
          std::to_string(row.errors.answered),
          listed_reasons(row.failed_by),
          listed_reasons(row.cancelled_by),
          std::to_string(row.refused),
          with_decimals(row.attempts.mean),
          std::to_string(row.attempts.most),
          std::to_string(row.errors.retried),
          with_decimals(row.parked.mean),
          std::to_string(row.parked.most),
          cell_of(row.paused),
          cell_of(response.mean),
          cell_of(response.p50),
          cell_of(response.p95),
          cell_of(response.p99)};
}

cells row_of(const char* name, const level& level) {
  return {name, with_decimals(level.mean), std::to_string(level.most)};
}

} // namespace

void write_table(std::ostream& out, const result& result) {
  write_aligned(
    out, {{result.nodes ? "nodes" : "workers", "makespan"},
          {std::to_string(result.workers.size()), cell_of(result.makespan)}});
  std::vector<cells> flows{{"flow", "submitted", "completed", "with an error",
                            "failed", "cancelled", "refused", "attempts, mean",
                            "most", "retried errors", "parked, mean", "most",
                            "paused", "response, mean", "p50", "p95", "p99"}};
  for (const auto& each : result.flows)
    flows.push_back(row_of(each));
  out << '\n';
  write_aligned(out, flows);
  out << '\n';
  write_aligned(out, {{"waiting tasks", "mean", "most"},
                      row_of("parked", result.parked),
                      row_of("retrying", result.retrying)});
}

} // namespace poolsim
