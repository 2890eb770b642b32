#pragma once

#include "poolsim/process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace test {

/// Checks that poolsim refuses the text: status 2, one line that begins and
/// ends so, nothing on standard output.
inline void check_refused(const std::string& text, const std::string& beginning,
                          const std::string& end = "\n") {
  CAPTURE(text);
  auto ended = simulate_text(text);
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(ended.err.rfind(beginning, 0) == 0);
  auto length = std::min(end.size(), ended.err.size());
  CHECK(ended.err.substr(ended.err.size() - length) == end);
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
}

/// A text that is part of a scenario which is fine otherwise.
inline std::string with(const std::string& part) {
  return R"({"placement": "least_used", )" + part + "}";
}

/// This is its second group of workers.
inline std::string with_worker(const std::string& group) {
  return with(R"("workers": [{}, )" + group + "]");
}

/// Two workers, and a second task that is this.
inline std::string with_task(const std::string& task) {
  return with(R"("workers": [{"count": 2}], "tasks": [{"service": 1}, )" + task
              + "]");
}

inline std::string with_client(const std::string& client) {
  return with(R"("clients": [)" + client + "]");
}

} // namespace test
