#include "libpool/core/kind_estimates.hpp"

#include <algorithm>
#include <cstddef>

namespace libpool {

namespace {

constexpr std::size_t most_kinds = 65'536;

double in_ns(duration time) noexcept {
  return static_cast<double>(time.count());
}

} // namespace

duration kind_estimates::of_kind(std::uint64_t kind) const noexcept {
  if (auto i = kinds_.find(kind); i != kinds_.end())
    return i->second.estimate;
  if (kinds_.empty())
    return initial_;
  return duration{
    static_cast<duration::rep>(sum_ / static_cast<double>(kinds_.size()))};
}

/// Returns the record of the kind; nullptr if there are too many kinds. A new
/// record has the mean of the others as its estimate.
kind_estimates::record* kind_estimates::record_of(std::uint64_t kind) noexcept {
  if (auto i = kinds_.find(kind); i != kinds_.end())
    return &i->second;
  if (kinds_.size() >= most_kinds)
    return nullptr;
  auto estimate = of_kind(kind);
  sum_ += in_ns(estimate);
  return &kinds_.emplace(kind, record{ewma{alpha_}, estimate}).first->second;
}

void kind_estimates::set(record& entry, duration estimate) noexcept {
  sum_ += in_ns(estimate) - in_ns(entry.estimate);
  entry.estimate = estimate;
}

void kind_estimates::add(std::uint64_t kind, duration took) noexcept {
  auto* its = record_of(kind);
  if (its == nullptr)
    return;
  auto& average = its->average;
  if (!average.empty() && its->estimate < average.value()) { // was lowered
    auto start = std::clamp(took, its->estimate, average.value());
    average = ewma{alpha_};
    average.add(start);
  }
  average.add(took);
  set(*its, average.value());
}

void kind_estimates::add_stopped(std::uint64_t kind, duration took) noexcept {
  auto* its = record_of(kind);
  if (its == nullptr)
    return;
  add(kind, its->average.empty() ? took : std::max(took, its->average.value()));
}

void kind_estimates::lower(std::uint64_t kind) noexcept {
  if (auto* its = record_of(kind))
    set(*its, its->estimate - (its->estimate + duration{7}) / 8);
}

} // namespace libpool
