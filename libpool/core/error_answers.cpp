#include "libpool/core/error_answers.hpp"

#include "libpool/core/splitmix64.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace libpool {

std::vector<error_answer_stats> error_answers::rows() const {
  std::vector<error_answer_stats> result;
  result.reserve(rows_.size());
  for (const auto& each : rows_)
    result.push_back(each.stats);
  std::sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
    return std::tie(y.count, x.name, x.flow, x.kind)
           < std::tie(x.count, y.name, y.flow, y.kind);
  });
  return result;
}

std::uint64_t error_answers::id_of(std::uint64_t error, const flow_key& flow,
                                   const std::string* kind) noexcept {
  auto result = splitmix64::mixed(error ^ splitmix64::mixed(flow.hash()));
  return kind == nullptr || kind->empty()
           ? result
           : splitmix64::mixed(result ^ fnv_1a(*kind));
}

error_answers::row* error_answers::find(std::uint64_t id) noexcept {
  auto i = std::find_if(rows_.begin(), rows_.end(),
                        [=](const row& each) { return each.id == id; });
  return i == rows_.end() ? nullptr : &*i;
}

error_answers::row& error_answers::new_row(std::uint64_t id,
                                           error_answer_stats stats) {
  if (rows_.size() < most_rows)
    return rows_.emplace_back(row{id, 0, std::move(stats)});
  auto& oldest = *std::min_element(
    rows_.begin(), rows_.end(),
    [](const row& x, const row& y) { return x.noted < y.noted; });
  return oldest = row{id, 0, std::move(stats)};
}

} // namespace libpool
