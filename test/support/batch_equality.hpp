#pragma once

#include "libpool/nodes/batch_bytes.hpp"

#include <algorithm>
#include <tuple>
#include <variant>

namespace test {

/// Whether two messages are equal in all members.
struct batch_equality {
  template <class T>
  bool operator()(const T& x, const T& y) const {
    return members(x) == members(y);
  }

  /// Messages of different kinds are not equal.
  template <class T, class U>
  bool operator()(const T&, const U&) const {
    return false;
  }

  bool operator()(const libpool::tasks_done& x,
                  const libpool::tasks_done& y) const {
    return std::equal(x.ends.begin(), x.ends.end(), y.ends.begin(),
                      y.ends.end(), *this);
  }

private:
  static auto members(const libpool::hello& x) {
    return std::tie(x.who, x.attempt);
  }

  static auto members(const libpool::introduction& x) {
    return std::tie(x.speaks.oldest, x.speaks.newest, x.name, x.labels, x.held,
                    x.turn);
  }

  static auto members(const libpool::welcome& x) {
    return std::tie(x.attempt, x.session, x.lease);
  }

  static auto members(const libpool::ready& x) {
    return std::tie(x.session);
  }

  static auto members(const libpool::beat& x) {
    return std::tie(x.session, x.sent, x.deaf);
  }

  static auto members(const libpool::bye& x) {
    return std::tie(x.session);
  }

  static auto members(const libpool::tasks_sent& x) {
    return std::tie(x.tasks, x.submissions, x.settled);
  }

  static auto members(const libpool::task_done& x) {
    return std::tie(x.task, x.how);
  }

  static auto members(const libpool::gone& x) {
    return std::tie(x.session);
  }

  static auto members(const libpool::ask_back& x) {
    return std::tie(x.max);
  }

  static auto members(const libpool::given_back& x) {
    return std::tie(x.was_asked, x.tasks);
  }

  static auto members(const libpool::resend&) {
    return std::tuple<>{};
  }

  static auto members(const libpool::call&) {
    return std::tuple<>{};
  }

  static auto members(const libpool::demand& x) {
    return std::tie(x.window, x.slots, x.service, x.round_trip);
  }

  static auto members(const libpool::unread& x) {
    return std::tie(x.task, x.why);
  }

  static auto members(const libpool::forget& x) {
    return std::tie(x.tasks);
  }

  static auto members(const libpool::receipt& x) {
    return std::tie(x.bytes);
  }
};

/// `Batch` is `batch_to_pool` or `batch_to_node`.
template <class Batch>
bool equal(const Batch& x, const Batch& y) {
  return x.session == y.session
         && std::visit(batch_equality{}, x.content, y.content);
}

inline bool equal(const libpool::introduction& x,
                  const libpool::introduction& y) {
  return batch_equality{}(x, y);
}

} // namespace test
