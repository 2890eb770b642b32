#include "libpool/core/kind_estimates.hpp"

#include <cstddef>

namespace libpool {

namespace {

constexpr std::size_t most_kinds = 65'536;

double in_ns(const ewma& of) noexcept {
  return static_cast<double>(of.value().count());
}

} // namespace

duration kind_estimates::of_kind(std::uint64_t kind) const noexcept {
  if (auto i = kinds_.find(kind); i != kinds_.end())
    return i->second.value();
  if (kinds_.empty())
    return initial_;
  return duration{
    static_cast<duration::rep>(sum_ / static_cast<double>(kinds_.size()))};
}

void kind_estimates::add(std::uint64_t kind, duration took) noexcept {
  auto i = kinds_.find(kind);
  if (i == kinds_.end()) {
    if (kinds_.size() >= most_kinds)
      return;
    i = kinds_.emplace(kind, ewma{alpha_}).first;
  } else {
    sum_ -= in_ns(i->second);
  }
  i->second.add(took);
  sum_ += in_ns(i->second);
}

} // namespace libpool
