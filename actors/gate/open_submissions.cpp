#include "libpool/actors/gate/open_submissions.hpp"

#include "libpool/actors/gate/submission.hpp"

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

caf::actor open_submissions::pass(submission& request) {
  std::lock_guard<std::mutex> guard{mutex_};
  if (is_closed_)
    return pool_;
  ++passed_;
  request.next_ = first_;
  request.to_me_ = &first_;
  if (first_ != nullptr)
    first_->to_me_ = &request.next_;
  first_ = &request;
  return pool_;
}

void open_submissions::leave(submission& request) noexcept {
  std::lock_guard<std::mutex> guard{mutex_};
  if (request.to_me_ == nullptr)
    return;
  *request.to_me_ = request.next_;
  if (request.next_ != nullptr)
    request.next_->to_me_ = request.to_me_;
  request.to_me_ = nullptr;
}

std::optional<open_submissions::closed> open_submissions::close() {
  std::lock_guard<std::mutex> guard{mutex_};
  if (std::exchange(is_closed_, true))
    return std::nullopt;
  closed result;
  result.pool = std::exchange(pool_, nullptr);
  for (auto* each = std::exchange(first_, nullptr); each != nullptr;
       each = each->next_) {
    each->to_me_ = nullptr;
    if (each->settle())
      result.requests.push_back({each->client_, std::move(each->gate_)});
  }
  return result;
}

std::uint64_t open_submissions::passed() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return passed_;
}

} // namespace libpool
