#pragma once

#include "support/scratch_folder.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace test {

/// A terminal, by tmux, in which a command runs.
class tmux_session {
public:
  tmux_session(std::size_t width, std::size_t height,
               const std::string& command);
  ~tmux_session();

  tmux_session(const tmux_session&) = delete;
  tmux_session& operator=(const tmux_session&) = delete;

  /// What is on the screen, without blanks at the ends of lines.
  std::string screen() const;

  /// The same with the sequences that set colours and other looks.
  std::string painted_screen() const;

  /// By their names, such as `q` and `Down`.
  void press(const std::vector<std::string>& keys) const;

  void resize(std::size_t width, std::size_t height) const;

  /// The value of a format, such as `#{alternate_on}`.
  std::string value_of(const std::string& format) const;

private:
  std::string run(const std::vector<std::string>& words) const;

  scratch_folder folder_;
};

} // namespace test
