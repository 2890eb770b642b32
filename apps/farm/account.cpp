#include "account.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

namespace farm {

namespace {

std::string in_words(const account::share& what) {
  return fmt::format("{} file{}, {}", what.files, what.files == 1 ? "" : "s",
                     console::human_bytes(what.bytes));
}

void add(account::share& share, const result& what) {
  ++share.files;
  share.bytes += what.size;
}

} // namespace

void account::count(const result& result) {
  if (result.skipped)
    return;
  if (!result.error.empty()) {
    ++failed_;
    return;
  }
  add(all_, result);
  add(result.node ? nodes_[*result.node] : front_, result);
}

std::vector<std::string> account::lines(const losses& lost) const {
  std::vector<std::string> out{"hashed " + in_words(all_)};
  for (const auto& [name, done] : nodes_)
    out.push_back("node " + console::printable(name) + ": " + in_words(done));
  if (front_.files > 0)
    out.push_back("hashed by this program, too large to send: "
                  + in_words(front_));
  out.push_back(fmt::format("files lost with a node: {} hashed again, {} not "
                            "hashed, {} losses in total",
                            lost.files_repeated, lost.files_lost,
                            lost.repetitions));
  if (failed_ > 0)
    out.push_back(fmt::format("failed: {}", failed_));
  return out;
}

} // namespace farm
