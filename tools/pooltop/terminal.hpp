#pragma once

#include "controls.hpp"
#include "line.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace pooltop {

/// The terminal, which is taken over while this object exists.
///
/// Errors: std::runtime_error if it cannot be taken over.
class terminal {
public:
  explicit terminal(bool has_colours);
  ~terminal();

  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;

  std::size_t width() const;
  std::size_t height() const;

  void draw(const std::vector<line>& lines);

  /// Waits up to `time` for a key, and returns its command.
  command wait_for(std::chrono::milliseconds time);

private:
  struct state;

  std::unique_ptr<state> state_;
};

} // namespace pooltop
