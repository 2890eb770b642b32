#pragma once

#include "support/patience.hpp"

#include <fcntl.h>
#include <httplib.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace scraping {

/// A Prometheus of its own that runs for as long as this is there.
class prometheus_server {
public:
  using parameters = std::vector<std::pair<std::string, std::string>>;

  /// Starts it with that configuration, which it keeps its data beside.
  ///
  /// Errors: std::runtime_error if it does not listen soon, with its words.
  explicit prometheus_server(const std::string& folder,
                             const std::string& configuration) {
    start(folder, configuration);
    try {
      await_address();
    } catch (...) {
      end();
      throw;
    }
  }

  prometheus_server(const prometheus_server&) = delete;
  prometheus_server& operator=(const prometheus_server&) = delete;

  ~prometheus_server() {
    end();
  }

  /// What it answers to that request of its API: the data.
  ///
  /// Errors: std::runtime_error with its answer, unless that is a success.
  nlohmann::json get(const std::string& path, const parameters& of = {}) const {
    httplib::Client client{"127.0.0.1", port_};
    client.set_read_timeout(test::patience);
    httplib::Params asked{of.begin(), of.end()};
    auto answer = client.Get(path, asked, httplib::Headers{});
    if (!answer)
      throw std::runtime_error("Prometheus does not answer: "
                               + to_string(answer.error()));
    auto read = nlohmann::json::parse(answer->body);
    if (read.value("status", "") != "success")
      throw std::runtime_error(path + ": " + answer->body);
    return read.at("data");
  }

  /// The series that the expression has at that time, which Prometheus puts as
  /// a number; now if it is empty.
  nlohmann::json query(const std::string& expression,
                       const std::string& time = {}) const {
    return get("/api/v1/query", {{"query", expression}, {"time", time}})
      .at("result");
  }

private:
  void end() const {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(output_);
  }

  void start(const std::string& folder, const std::string& configuration) {
    std::vector<std::string> words{
      LIBPOOL_PROMETHEUS, "--config.file=" + configuration,
      "--storage.tsdb.path=" + folder, "--web.listen-address=127.0.0.1:0"};
    std::vector<char*> arguments;
    for (auto& each : words)
      arguments.push_back(each.data());
    arguments.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL); // should the test crash
      ::dup2(ends[1], STDERR_FILENO);
      ::execv(arguments.front(), arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }

  /// Waits for further output. Returns false if the output has ended, or none
  /// came within `test::patience`.
  bool read_more() {
    pollfd event{output_, POLLIN, 0};
    std::array<char, 4096> buffer{};
    constexpr std::chrono::milliseconds most = test::patience;
    if (::poll(&event, 1, static_cast<int>(most.count())) <= 0)
      return false;
    auto size = ::read(output_, buffer.data(), buffer.size());
    if (size > 0)
      said_.append(buffer.data(), static_cast<std::size_t>(size));
    return size > 0;
  }

  void await_address() {
    const std::regex address{
      "msg=\"Listening on\" address=127\\.0\\.0\\.1:([0-9]+)"};
    std::smatch found;
    while (!std::regex_search(said_, found, address))
      if (!read_more())
        throw std::runtime_error("Prometheus does not listen: " + said_);
    port_ = static_cast<std::uint16_t>(std::atoi(found[1].str().c_str()));
  }

  pid_t process_ = -1;
  int output_ = -1;
  std::string said_;
  std::uint16_t port_ = 0;
};

} // namespace scraping
