#pragma once

#include "support/patience.hpp"
#include "support/scratch_folder.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A page in a browser without a window, which stays open. The browser is
/// controlled by Chrome's DevTools protocol through two pipes.
class live_page {
public:
  explicit live_page(const std::string& url) {
    start();
    auto target = ask("Target.createTarget", {{"url", "about:blank"}});
    session_ = ask("Target.attachToTarget", {{"targetId", target["targetId"]},
                                             {"flatten", true}})["sessionId"];
    ask("Page.enable");
    ask("Page.navigate", {{"url", url}});
    while (receive().value("method", "") != "Page.loadEventFired")
      continue;
  }

  live_page(const live_page&) = delete;
  live_page& operator=(const live_page&) = delete;

  ~live_page() {
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(to_);
    ::close(from_);
  }

  /// Returns the value of the expression in the page. A promise is awaited.
  nlohmann::json value_of(const std::string& expression) {
    auto answer = ask("Runtime.evaluate", {{"expression", expression},
                                           {"awaitPromise", true},
                                           {"returnByValue", true}});
    if (answer.contains("exceptionDetails"))
      throw std::runtime_error(answer["exceptionDetails"].dump());
    return answer["result"].value("value", nlohmann::json{});
  }

  /// Waits until the condition holds, which depends on the document.
  void wait_until(const std::string& condition) {
    value_of(
      "new Promise(resolve => {"
      "  const seen = new MutationObserver(() => look());"
      "  const look = () => {"
      "    if (!("
      + condition
      + ")) return;"
        "    seen.disconnect();"
        "    resolve(true);"
        "  };"
        "  seen.observe(document, {subtree: true, childList: true,"
        "                          attributes: true, characterData: true});"
        "  look();"
        "})");
  }

private:
  /// Both ends are above the numbers that the browser gets.
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::runtime_error{"no pipe"};
    for (auto& each : ends) {
      auto low = std::exchange(each, ::fcntl(each, F_DUPFD_CLOEXEC, 10));
      ::close(low);
    }
    return ends;
  }

  void start() {
    std::vector<std::string> words{LIBPOOL_BROWSER,
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-quic",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + (folder_ / "profile")};
    std::vector<char*> command;
    for (auto& each : words)
      command.push_back(each.data());
    command.push_back(nullptr);
    auto requests = make_pipe();
    auto answers = make_pipe();
    auto nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    process_ = ::fork();
    if (process_ == 0) {
      ::setpgid(0, 0);
      ::dup2(nothing, STDOUT_FILENO);
      ::dup2(nothing, STDERR_FILENO);
      ::dup2(requests[0], 3); // the numbers that Chrome defines
      ::dup2(answers[1], 4);
      ::execv(LIBPOOL_BROWSER, command.data());
      ::_exit(1);
    }
    ::setpgid(process_, process_);
    for (auto each : {requests[0], answers[1], nothing})
      ::close(each);
    to_ = requests[1];
    from_ = answers[0];
    if (process_ < 0)
      throw std::runtime_error{"no browser"};
  }

  /// Returns the result of the method.
  nlohmann::json
  ask(const std::string& method,
      const nlohmann::json& parameters = nlohmann::json::object()) {
    nlohmann::json request{
      {"id", ++last_}, {"method", method}, {"params", parameters}};
    if (!session_.empty())
      request["sessionId"] = session_;
    auto text = request.dump() + '\0';
    if (::write(to_, text.data(), text.size())
        != static_cast<ssize_t>(text.size()))
      throw std::runtime_error{"the browser has ended"};
    for (;;) {
      auto answer = receive();
      if (answer.value("id", 0) != last_)
        continue; // an event
      if (!answer.contains("result"))
        throw std::runtime_error{answer.dump()};
      return answer["result"];
    }
  }

  /// Returns the next message of the browser.
  nlohmann::json receive() {
    for (;;) {
      auto end = received_.find('\0');
      if (end != std::string::npos) {
        auto text = received_.substr(0, end);
        received_.erase(0, end + 1);
        return nlohmann::json::parse(text);
      }
      constexpr std::chrono::milliseconds most = patience;
      pollfd wanted{from_, POLLIN, 0};
      std::array<char, 4096> bytes{};
      if (::poll(&wanted, 1, static_cast<int>(most.count())) <= 0)
        throw std::runtime_error{"the browser does not answer"};
      auto n = ::read(from_, bytes.data(), bytes.size());
      if (n <= 0)
        throw std::runtime_error{"the browser has ended"};
      received_.append(bytes.data(), static_cast<std::size_t>(n));
    }
  }

  scratch_folder folder_;
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  int last_ = 0;
  std::string session_;
  std::string received_;
};

} // namespace test
