#pragma once

#include "libpool/actors/managed/reply_interceptor.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace libpool {

/// Request whose handler has returned without an answer.
struct owed_answer {
  std::shared_ptr<reply_interceptor> request;
  /// Flow of the message.
  flow_key flow;
  /// Name of the kind of the message; empty: unknown.
  std::string kind;
};

/// Requests with deadlines whose handlers have returned without an answer. A
/// request stays until it is answered, or its deadline passes.
///
/// Cost: O(log requests).
class owed_answers {
public:
  /// Adds a request with that deadline.
  void add(owed_answer added, instant deadline) {
    auto* request = added.request.get();
    request->due = deadline;
    all_.emplace(std::pair{deadline, request}, std::move(added));
  }

  /// Removes and returns the request; unset if it is not there.
  std::optional<owed_answer> remove(reply_interceptor& request) {
    auto found = all_.find({request.due, &request});
    return found != all_.end() ? std::optional{take(found)} : std::nullopt;
  }

  /// Removes and returns a request whose deadline has passed at `now`; unset if
  /// there is none.
  std::optional<owed_answer> take_due(instant now) {
    if (all_.empty() || next_tick() > now)
      return std::nullopt;
    return take(all_.begin());
  }

  /// Returns the earliest deadline; `never` without a request.
  instant next_tick() const noexcept {
    return all_.empty() ? never : all_.begin()->first.first;
  }

  /// Removes all requests, and returns their number.
  std::size_t clear() noexcept {
    auto result = all_.size();
    all_.clear();
    return result;
  }

private:
  using requests =
    std::map<std::pair<instant, reply_interceptor*>, owed_answer>;

  owed_answer take(requests::iterator request) {
    auto result = std::move(request->second);
    all_.erase(request);
    return result;
  }

  requests all_;
};

} // namespace libpool
