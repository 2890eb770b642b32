#pragma once

#include "libpool/nodes/batches.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace test {

/// Returns message batches in words, such as `tasks(1,2)` or `demand(4)`.
struct batch_words {
  template <class Number>
  static std::string text(Number number) {
    return std::to_string(static_cast<std::uint64_t>(number));
  }

  static std::string list(const char* name,
                          const std::vector<libpool::task_number>& all) {
    std::string result;
    for (auto each : all)
      result += (result.empty() ? "" : ",") + text(each);
    return std::string{name} + "(" + result + ")";
  }

  std::string operator()(const libpool::hello& x) const {
    return "hello(" + text(x.attempt) + ")";
  }

  std::string operator()(const libpool::welcome&) const {
    return "welcome";
  }

  std::string operator()(const libpool::ready&) const {
    return "ready";
  }

  std::string operator()(const libpool::beat&) const {
    return "beat";
  }

  std::string operator()(const libpool::bye&) const {
    return "bye";
  }

  std::string operator()(const libpool::tasks_sent& x) const {
    return list("tasks", x.tasks);
  }

  std::string operator()(const libpool::tasks_done& x) const {
    std::vector<libpool::task_number> tasks;
    for (const auto& each : x.ends)
      tasks.push_back(each.task);
    return list("done", tasks);
  }

  std::string operator()(const libpool::gone&) const {
    return "gone";
  }

  std::string operator()(const libpool::ask_back& x) const {
    return "ask_back(" + text(x.max) + ")";
  }

  std::string operator()(const libpool::given_back& x) const {
    return list(x.was_asked ? "given_back_as_asked" : "given_back", x.tasks);
  }

  std::string operator()(const libpool::resend&) const {
    return "resend";
  }

  std::string operator()(const libpool::call&) const {
    return "call";
  }

  std::string operator()(const libpool::demand& x) const {
    return "demand(" + text(x.window) + ")";
  }

  std::string operator()(const libpool::unread& x) const {
    return list("unread", {x.task});
  }

  std::string operator()(const libpool::forget& x) const {
    return list("forget", x.tasks);
  }

  std::string operator()(const libpool::receipt& x) const {
    return "receipt(" + text(x.bytes) + ")";
  }
};

} // namespace test
