#include "terminal.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace console {

namespace {

constexpr std::size_t usual_width = 80;

std::size_t width_in_environment() {
  const char* said = std::getenv("COLUMNS");
  const std::string_view text{said != nullptr ? said : ""};
  std::size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out > 0 ? out : usual_width;
}

} // namespace

bool is_terminal(int fd) noexcept {
  return ::isatty(fd) == 1;
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return width_in_environment();
  return size.ws_col;
}

} // namespace console
