#include "options.hpp"

#include "unicode.hpp"

#include "libpool/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace pooltop {

namespace {

constexpr const char* footer = R"(
Shows the pools of a running program. URL is the address of its live view, for
example http://127.0.0.1:8080. If standard output is not a terminal, pooltop
prints one report, as with --once. The key ? lists all keys.

Environment: LIBPOOL_TOKEN is the token; unlike --token, it does not show in the
list of processes. NO_COLOR, if it is not empty, turns colours off.

Exit codes: 0 success; 1 the report failed, one line on standard error says why;
2 wrong usage.)";

exit_code report(CLI::App& app, const CLI::ParseError& why) {
  if (why.get_exit_code() == 0)
    return app.exit(why) == 0 && std::cout.flush() ? success : failed;
  std::cerr << "pooltop: " << escaped(why.what())
            << "\nUsage: pooltop [OPTIONS] URL\nTry 'pooltop --help'.\n";
  return invalid;
}

/// Empty where the text is an address.
std::string objection_to_url(const std::string& text) {
  try {
    read_address(text);
    return {};
  } catch (const std::invalid_argument& why) {
    return why.what();
  }
}

/// A line break in it would become a header of its own.
std::string objection_to_token(const std::string& token) {
  const auto is_plain = std::all_of(token.begin(), token.end(), [](char each) {
    return each > ' ' && each < '\x7f';
  });
  return is_plain ? ""
                  : "a token must consist of printable ASCII characters "
                    "without spaces";
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  options out;
  std::string url;
  auto interval_s = 0.5;
  CLI::App app{"Shows running pools in a terminal.", "pooltop"};
  app.footer(footer);
  app.set_version_flag("--version", "pooltop " LIBPOOL_VERSION_STRING,
                       "Print the version and exit");
  app
    .add_option("--interval", interval_s,
                "Time between two requests to the server")
    ->type_name("SECONDS")
    ->capture_default_str()
    ->check(CLI::Range(0.05, 3600.0));
  app.add_option("--token", out.token, "Token that the server requires")
    ->type_name("TOKEN")
    ->envname("LIBPOOL_TOKEN")
    ->check(objection_to_token);
  app.add_option("--pool", out.pool, "Pool to show first")->type_name("NAME");
  app.add_flag("--once", out.is_once, "Print one report and exit");
  app.add_flag("--ascii", out.is_ascii, "Draw with ASCII characters only");
  app.add_option("URL", url, "Address of the server")
    ->required()
    ->check(objection_to_url);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return report(app, why);
  }
  out.server = read_address(url);
  out.interval = std::chrono::milliseconds{
    static_cast<std::chrono::milliseconds::rep>(interval_s * 1000)};
  return out;
}

} // namespace pooltop
