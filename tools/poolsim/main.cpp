#include "chart.hpp"
#include "element.hpp"
#include "from_trace.hpp"
#include "options.hpp"
#include "reading.hpp"
#include "recommend.hpp"
#include "simulation.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

/// All of the file; what `-` names is standard input.
std::string contents_of(const std::string& path) {
  using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  auto is_input = path == "-";
  const file opened{is_input ? nullptr : std::fopen(path.c_str(), "re"),
                    std::fclose};
  auto* source = is_input ? stdin : opened.get();
  std::string result;
  std::array<char, 1 << 16> piece{};
  for (std::size_t size = 1; source != nullptr && size > 0;) {
    size = std::fread(piece.data(), 1, piece.size(), source);
    result.append(piece.data(), size);
  }
  if (source == nullptr || std::ferror(source) != 0)
    throw std::system_error(errno, std::generic_category(),
                            "cannot read '" + path + "'");
  return result;
}

poolsim::scenario scenario_in(const std::string& path) {
  return poolsim::read_scenario(contents_of(path));
}

/// Writes the error as one line, whatever the names in the text are made of.
void complain(std::string text) {
  for (auto& each : text)
    if (static_cast<unsigned char>(each) < ' ' || each == '\x7f')
      each = '?';
  std::cerr << "poolsim: " << text << '\n';
}

/// Writes a file. Does nothing if the name is empty.
template <class Write>
void write_file(const std::string& name, Write write) {
  if (name.empty())
    return;
  std::ofstream out{name, std::ios::binary};
  if (out)
    write(out);
  if (!out.flush())
    throw std::runtime_error("cannot write '" + name + "'");
}

void simulate(const poolsim::options& options) {
  const auto scenario = scenario_in(options.scenario);
  poolsim::chart drawn{scenario};
  poolsim::run_listener draw;
  if (!options.plot.empty() || !options.trace.empty())
    draw = [&](const poolsim::task_run& run) { drawn.add(run); };
  const auto result = poolsim::simulate(scenario, draw);
  if (draw)
    drawn.finish(result);
  write_file(options.plot, [&](auto& out) { write_gantt(out, drawn.all()); });
  write_file(options.trace, [&](auto& out) { write_trace(out, drawn.all()); });
  if (options.is_table)
    poolsim::write_table(std::cout, result);
  else
    poolsim::write_report(std::cout, result, options.shown);
}

poolsim::exit_code run(const poolsim::options& options) {
  if (options.is_trace)
    poolsim::write_scenario(std::cout, contents_of(options.scenario));
  else if (options.recommends)
    poolsim::write_recommendation(std::cout, contents_of(options.scenario));
  else
    simulate(options);
  if (std::cout.flush())
    return poolsim::success;
  complain("cannot write the result");
  return poolsim::failed;
}

} // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  auto parsed = poolsim::parse(argc, argv);
  if (const auto* code = std::get_if<poolsim::exit_code>(&parsed))
    return *code;
  try {
    return run(std::get<poolsim::options>(parsed));
  } catch (const poolsim::invalid_scenario& why) {
    complain(why.what());
  } catch (const std::system_error& why) {
    complain(why.what());
  } catch (const std::exception& why) {
    complain(why.what());
    return poolsim::failed;
  }
  return poolsim::invalid;
}
