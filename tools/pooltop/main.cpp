#include "options.hpp"
#include "screen.hpp"
#include "symbols.hpp"

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include <langinfo.h>
#include <unistd.h>

namespace {

bool is_utf_8() {
  return std::string_view{::nl_langinfo(CODESET)} == "UTF-8";
}

pooltop::exit_code run(const pooltop::options& by) {
  const auto& with = by.is_ascii || !is_utf_8() ? pooltop::ascii_symbols
                                                : pooltop::unicode_symbols;
  const auto is_terminal = ::isatty(STDOUT_FILENO) != 0
                           && ::isatty(STDIN_FILENO) != 0;
  return by.is_once || !is_terminal ? run_once(by, with) : run_screen(by, with);
}

pooltop::exit_code guarded_run(const pooltop::options& by) {
  try {
    return run(by);
  } catch (const std::exception& why) {
    std::cerr << "pooltop: " << why.what() << '\n';
    return pooltop::failed;
  }
}

} // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  const auto parsed = pooltop::parse(argc, argv);
  if (const auto* code = std::get_if<pooltop::exit_code>(&parsed))
    return *code;
  const auto code = guarded_run(std::get<pooltop::options>(parsed));
  std::cout.flush();
  std::_Exit(code); // the thread that asks the server is left to itself
}
