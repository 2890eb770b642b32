#pragma once

#include "support/process.hpp"
#include "support/scratch_folder.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A terminal, by tmux, in which a command runs.
class tmux_session {
public:
  tmux_session(std::size_t width, std::size_t height,
               const std::string& command) {
    run({"-f", "/dev/null", "new-session", "-d", "-x", std::to_string(width),
         "-y", std::to_string(height), command});
  }

  ~tmux_session() {
    try {
      run({"kill-server"});
    } catch (const std::exception&) {
      // It has ended already.
    }
  }

  tmux_session(const tmux_session&) = delete;
  tmux_session& operator=(const tmux_session&) = delete;

  /// What is on the screen, without blanks at the ends of lines.
  std::string screen() const {
    return run({"capture-pane", "-p"});
  }

  /// The same with the sequences that set colours and other looks.
  std::string painted_screen() const {
    return run({"capture-pane", "-p", "-e"});
  }

  /// By their names, such as `q` and `Down`.
  void press(const std::vector<std::string>& keys) const {
    std::vector<std::string> words{"send-keys"};
    words.insert(words.end(), keys.begin(), keys.end());
    run(words);
  }

  void resize(std::size_t width, std::size_t height) const {
    run({"resize-window", "-x", std::to_string(width), "-y",
         std::to_string(height)});
  }

  /// The value of a format, such as `#{alternate_on}`.
  std::string value_of(const std::string& format) const {
    auto result = run({"display-message", "-p", format});
    result.erase(result.find_last_not_of('\n') + 1);
    return result;
  }

private:
  std::string run(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"env",  "-u", "TMUX", "LC_ALL=C.UTF-8",
                                 "tmux", "-u", "-S",   folder_ / "socket"};
    all.insert(all.end(), words.begin(), words.end());
    const auto ended = run_program(all);
    if (ended.status != 0)
      throw std::runtime_error("tmux " + words.front() + ": " + ended.err);
    return ended.out;
  }

  scratch_folder folder_;
};

} // namespace test
