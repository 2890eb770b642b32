#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace scraping {

/// A Prometheus of its own that runs for as long as this is there.
class prometheus_server {
public:
  /// Starts it with that configuration, which it keeps its data beside.
  ///
  /// Errors: std::runtime_error if it does not listen soon, with its words.
  explicit prometheus_server(const std::string& folder,
                             const std::string& configuration);

  prometheus_server(const prometheus_server&) = delete;
  prometheus_server& operator=(const prometheus_server&) = delete;

  ~prometheus_server();

  /// What it answers to that request of its API: the data.
  ///
  /// Errors: std::runtime_error with its answer, unless that is a success.
  nlohmann::json get(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>&
                       parameters = {}) const;

  /// The series that the expression has at that time, which Prometheus puts as
  /// a number; now if it is empty.
  nlohmann::json query(const std::string& expression,
                       const std::string& time = {}) const {
    return get("/api/v1/query", {{"query", expression}, {"time", time}})
      .at("result");
  }

private:
  void end() const;
  void start(const std::string& folder, const std::string& configuration);
  void await_address();
  bool read_more();

  pid_t process_ = -1;
  int output_ = -1;
  std::string said_;
  std::uint16_t port_ = 0;
};

} // namespace scraping
