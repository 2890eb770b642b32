#include "libpool/actors/direct/worker_set.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

template <class T>
std::optional<std::size_t> position_of(const std::vector<T>& in,
                                       const T& worker) {
  auto i = std::find(in.begin(), in.end(), worker);
  if (i == in.end())
    return std::nullopt;
  return static_cast<std::size_t>(i - in.begin());
}

template <class T>
std::vector<T> copy_without(const std::vector<T>& sources,
                            std::size_t position) {
  auto gone = sources.begin() + static_cast<std::ptrdiff_t>(position);
  std::vector<T> result;
  result.reserve(sources.size() - 1);
  result.insert(result.end(), sources.begin(), gone);
  result.insert(result.end(), gone + 1, sources.end());
  return result;
}

} // namespace

worker_set::worker_set(actor_vec workers, std::vector<worker_number> numbers,
                       const turns& turn)
  : workers_(std::move(workers)), numbers_(std::move(numbers)), turn_(turn) {
  // nop
}

std::optional<std::size_t> worker_set::find(worker_number number) const {
  return position_of(numbers_, number);
}

std::optional<std::size_t> worker_set::find(const caf::actor& worker) const {
  return position_of(workers_, worker);
}

worker_set worker_set::with(const std::vector<member>& more) const {
  worker_set result{workers_, numbers_, turn_.with_more(workers_.size())};
  for (auto& [worker, number] : more) {
    result.workers_.push_back(worker);
    result.numbers_.push_back(number);
  }
  return result;
}

worker_set worker_set::without(std::size_t position) const {
  return {copy_without(workers_, position), copy_without(numbers_, position),
          turn_.without(position, workers_.size())};
}

worker_set worker_set::end() {
  worker_set result;
  result.closed_ = true;
  return result;
}

} // namespace libpool
