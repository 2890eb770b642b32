#include "libpool/actors/gate/open_submissions.hpp"

#include <utility>

namespace libpool {

caf::actor open_submissions::pool() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return pool_;
}

caf::actor open_submissions::pass() {
  std::lock_guard<std::mutex> guard{mutex_};
  passed_ += is_closed_ ? 0 : 1;
  return pool_;
}

caf::actor open_submissions::pass(open_submission& request) {
  std::lock_guard<std::mutex> guard{mutex_};
  if (is_closed_)
    return pool_;
  ++passed_;
  request.next = first_;
  request.to_me = &first_;
  if (first_ != nullptr)
    first_->to_me = &request.next;
  first_ = &request;
  return pool_;
}

void open_submissions::leave(open_submission& request) noexcept {
  std::lock_guard<std::mutex> guard{mutex_};
  if (request.to_me == nullptr)
    return;
  *request.to_me = request.next;
  if (request.next != nullptr)
    request.next->to_me = request.to_me;
  request.to_me = nullptr;
}

std::optional<open_submissions::closed> open_submissions::close() {
  std::lock_guard<std::mutex> guard{mutex_};
  if (std::exchange(is_closed_, true))
    return std::nullopt;
  closed result;
  result.pool = std::exchange(pool_, nullptr);
  for (auto* each = std::exchange(first_, nullptr); each != nullptr;
       each = each->next) {
    each->to_me = nullptr;
    if (each->settle())
      result.requests.push_back({each->client, std::move(each->gate)});
  }
  return result;
}

std::uint64_t open_submissions::passed() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return passed_;
}

} // namespace libpool
