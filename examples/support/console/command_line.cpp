#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <thread>

namespace console {

int end_parsing(const CLI::App& app, const CLI::ParseError& why,
                std::string_view usage) {
  if (why.get_exit_code() == 0)
    return app.exit(why) == 0 && std::cout.flush() ? 0 : 1;
  std::cerr << fmt::format("{}: {}\n{}\n", app.get_name(), why.what(), usage);
  return wrong_usage;
}

std::size_t one_per_core(std::size_t most) {
  const std::size_t cores = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(cores, 1, most);
}

} // namespace console
