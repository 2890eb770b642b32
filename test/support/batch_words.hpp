#pragma once

#include "libpool/nodes/protocol/batches.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace test {

template <class Number>
std::string text(Number number) {
  return std::to_string(static_cast<std::uint64_t>(number));
}

/// Returns tasks in words, such as `(1,2)`.
inline std::string words_for(const std::vector<libpool::task_number>& all) {
  std::string result;
  for (auto each : all)
    result += (result.empty() ? "" : ",") + text(each);
  return "(" + result + ")";
}

/// Returns what follows the kind of a message in words.
struct message_details {
  template <class Message>
  std::string operator()(const Message&) const {
    return {};
  }

  std::string operator()(const libpool::hello& x) const {
    return "(" + text(x.attempt) + ")";
  }

  std::string operator()(const libpool::tasks_sent& x) const {
    return words_for(x.tasks);
  }

  std::string operator()(const libpool::take_back_tasks& x) const {
    return words_for(x.tasks);
  }

  std::string operator()(const libpool::cancel_tasks& x) const {
    return words_for(x.tasks);
  }

  std::string operator()(const libpool::ask_begun& x) const {
    return words_for(x.tasks);
  }

  std::string operator()(const libpool::begun& x) const {
    std::vector<libpool::task_number> tasks;
    for (const auto& each : x.tasks)
      tasks.push_back(each.task);
    return words_for(tasks);
  }

  std::string operator()(const libpool::tasks_done& x) const {
    std::vector<libpool::task_number> tasks;
    for (const auto& each : x.ends)
      tasks.push_back(each.task);
    return words_for(tasks);
  }

  std::string operator()(const libpool::ask_back& x) const {
    return "(" + text(x.max) + ")";
  }

  std::string operator()(const libpool::given_back& x) const {
    return (x.was_asked ? "_as_asked" : "") + words_for(x.tasks);
  }

  std::string operator()(const libpool::demand& x) const {
    return "(" + text(x.window) + ")";
  }

  std::string operator()(const libpool::unread& x) const {
    return words_for(std::vector{x.task});
  }

  std::string operator()(const libpool::receipt& x) const {
    return "(" + text(x.bytes) + ")";
  }
};

inline std::string kind_of(const libpool::batch_to_pool& batch) {
  constexpr std::array<const char*, 11> kinds{
    "hello",  "ready",   "beat",   "bye",    "done", "given_back",
    "demand", "receipt", "unread", "resend", "begun"};
  return kinds.at(batch.content.index());
}

inline std::string kind_of(const libpool::batch_to_node& batch) {
  constexpr std::array<const char*, 12> kinds{
    "welcome", "beat",   "bye",    "gone", "tasks", "ask_back",
    "receipt", "forget", "resend", "call", "stop",  "ask_begun"};
  return kinds.at(batch.content.index());
}

/// Returns a message batch in words, such as `tasks(1,2)` or `demand(4)`.
template <class Batch>
std::string words_for(const Batch& batch) {
  return kind_of(batch) + std::visit(message_details{}, batch.content);
}

} // namespace test
