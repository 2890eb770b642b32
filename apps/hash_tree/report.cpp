#include "report.hpp"

#include "format.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <system_error>

namespace hash_tree {

namespace {

using nlohmann::ordered_json;

[[noreturn]] void fail_to_write() {
  throw std::system_error(errno, std::generic_category());
}

/// Invalid UTF-8 becomes U+FFFD instead of an exception.
std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json to_json(const result& result) {
  ordered_json out{{"path", result.path}};
  if (!is_utf8(result.path))
    out["path_hex"] = hex(result.path);
  if (!result.error.empty()) {
    out["error"] = result.error;
    return out;
  }
  out["size"] = result.size;
  out["sha256"] = hex(result.value);
  return out;
}

ordered_json to_json(const totals& sums) {
  return {
    {"files", sums.files}, {"bytes", sums.bytes}, {"errors", sums.errors}};
}

ordered_json to_json(const comparison_row& row) {
  return {{"policy", row.policy},
          {"seconds", row.seconds},
          {"mib_per_second", row.mib_per_second},
          {"over_ideal", row.over_ideal},
          {"shares_percent", row.shares}};
}

ordered_json to_json(const comparison& comparison) {
  ordered_json out{{"workers", comparison.workers},
                   {"ideal", to_json(comparison.ideal)}};
  out["policies"] = ordered_json::array();
  for (const auto& row : comparison.policies)
    out["policies"].push_back(to_json(row));
  out["different"] = comparison.different;
  return out;
}

} // namespace

json_report::json_report(const std::string& path)
  : file_(std::fopen(path.c_str(), "we"), std::fclose) {
  if (file_ == nullptr)
    fail_to_write();
  write("{\"files\": [");
}

void json_report::add(const result& result) {
  if (result.skipped)
    return;
  write((first_ ? "\n" : ",\n") + text_of(to_json(result)));
  first_ = false;
}

void json_report::close(const totals& sums, bool interrupted,
                        const comparison* table) {
  write("\n],\n\"totals\": " + text_of(to_json(sums)));
  write(std::string{",\n\"interrupted\": "} + (interrupted ? "true" : "false"));
  if (table != nullptr)
    write(",\n\"compare\": " + text_of(to_json(*table)));
  write("}\n");
  if (std::fclose(file_.release()) != 0)
    fail_to_write();
}

void json_report::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    fail_to_write();
}

} // namespace hash_tree
