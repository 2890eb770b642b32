#include "options.hpp"

#include "option_table.hpp"

#include "libpool/version.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string_view>

namespace poolsim {

namespace {

constexpr const char* footer = R"(
The scenario is a JSON object; docs/poolsim.md has its format. The result is
one JSON object on standard output; the same scenario gives the same bytes.

Exit codes: 0 success; 1 the result cannot be written; 2 wrong usage, or the
scenario is invalid or cannot be read. One line on standard error names the
place in the scenario.)";

/// The error in the name of a picture, if any.
std::string objection_to_plot(const std::string& name) {
  constexpr std::string_view ending = ".svg";
  auto fits =
    name.size() > ending.size()
    && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  return fits ? std::string{}
              : "'" + name
                  + "' must end in .svg, since the picture is an SVG file";
}

exit_code report(CLI::App& app, const CLI::ParseError& why) {
  if (why.get_exit_code() == 0)
    return app.exit(why) == 0 && std::cout.flush() ? success : failed;
  std::cerr << "poolsim: " << why.what()
            << "\nUsage: poolsim [OPTIONS] SCENARIO.json\n"
               "Try 'poolsim --help'.\n";
  return invalid;
}

} // namespace

std::variant<options, exit_code> parse(int argc, const char* const* argv) {
  options out;
  auto is_summary = false;
  CLI::App app{"Simulates a pool with a given policy and given tasks, on a "
               "virtual clock.",
               "poolsim"};
  app.footer(footer);
  app.set_version_flag("--version", "poolsim " LIBPOOL_VERSION_STRING,
                       "Print the version and exit");
  app.add_flag_callback(
    "--policies",
    [] {
      write_option_table(std::cout);
      throw CLI::Success{};
    },
    "List the options of all policies and exit");
  app.add_flag("--summary", is_summary,
               "Leave the list of single tasks out of the result");
  app.add_flag("--table", out.is_table,
               "Print tables of the pool and its flows in place of the JSON "
               "object");
  app
    .add_option(
      "--plot", out.plot,
      "Draw the runs of the tasks as an SVG file, with a lane for each worker")
    ->type_name("FILE.svg")
    ->check(objection_to_plot);
  app
    .add_option("--trace", out.trace,
                "Write the runs of the tasks as a trace for ui.perfetto.dev "
                "and chrome://tracing")
    ->type_name("FILE.json");
  auto* recommend = app.add_flag(
    "--recommend", out.recommends,
    "Run all policies that fit the scenario, and print their figures and the "
    "one to choose");
  auto* from = app.add_flag(
    "--from", out.is_trace,
    "Print the scenario of a recorded trace, which `poolctl record`, the live "
    "page or --trace has written and which is given in place of a scenario");
  recommend->excludes(from);
  for (const char* name : {"--summary", "--table", "--plot", "--trace"})
    for (auto* mode : {recommend, from})
      mode->excludes(app.get_option(name));
  app
    .add_option("SCENARIO.json", out.scenario,
                "The scenario to simulate; `-` is standard input")
    ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& why) {
    return report(app, why);
  }
  out.shown = is_summary ? detail::summary : detail::tasks;
  return out;
}

} // namespace poolsim
