#include "pooltop/tmux_session.hpp"

#include "support/process.hpp"

#include <stdexcept>

namespace test {

tmux_session::tmux_session(std::size_t width, std::size_t height,
                           const std::string& command) {
  run({"-f", "/dev/null", "new-session", "-d", "-x", std::to_string(width),
       "-y", std::to_string(height), command});
}

tmux_session::~tmux_session() {
  try {
    run({"kill-server"});
  } catch (const std::exception&) {
    // It has ended already.
  }
}

std::string tmux_session::screen() const {
  return run({"capture-pane", "-p"});
}

std::string tmux_session::painted_screen() const {
  return run({"capture-pane", "-p", "-e"});
}

void tmux_session::press(const std::vector<std::string>& keys) const {
  std::vector<std::string> words{"send-keys"};
  words.insert(words.end(), keys.begin(), keys.end());
  run(words);
}

void tmux_session::resize(std::size_t width, std::size_t height) const {
  run({"resize-window", "-x", std::to_string(width), "-y",
       std::to_string(height)});
}

std::string tmux_session::value_of(const std::string& format) const {
  auto result = run({"display-message", "-p", format});
  result.erase(result.find_last_not_of('\n') + 1);
  return result;
}

std::string tmux_session::run(const std::vector<std::string>& words) const {
  std::vector<std::string> all{"env",  "-u", "TMUX", "LC_ALL=C.UTF-8",
                               "tmux", "-u", "-S",   folder_ / "socket"};
  all.insert(all.end(), words.begin(), words.end());
  const auto ended = run_program(all);
  if (ended.status != 0)
    throw std::runtime_error("tmux " + words.front() + ": " + ended.err);
  return ended.out;
}

} // namespace test
