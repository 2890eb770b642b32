#include "options.hpp"

#include "console/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <unistd.h>

namespace farm {

namespace {

constexpr std::size_t most_agents = 64;
constexpr std::size_t most_slots = 1024;
constexpr unsigned most_retries = 1'000'000;
constexpr double shortest_lease = 1;
constexpr double longest_lease = 3600;

/// With `--chaos`, a file may be with many nodes in turn that are killed.
constexpr unsigned retries_in_chaos = 1'000;

constexpr const char* footer = R"(
The front reads the files, has agents of its pool hash them, on this machine and
on others, and prints the lines of sha256sum in the order of the paths. All show
certificates of one CA, and agents know the token, the first line of a file.

Exit codes: 0 all well; 1 a file, the output or the start failed; 2 wrong usage;
130 or 143 stopped by a signal.)";

constexpr const char* usage_text =
  "Usage: farm front TREE... --certificate FILE --key FILE"
  " --ca FILE --token-file FILE ...\n"
  "       farm agent HOST:PORT --certificate FILE --key FILE"
  " --ca FILE --token-file FILE ...\n"
  "Try 'farm front --help' and 'farm agent --help'.";

/// What is said on the command line, in the units in which it is said.
struct words {
  front_options front;
  agent_options agent;
  double lease = 5;
  std::string where;
};

void describe_secrets(CLI::App& app, secrets& out) {
  const auto file = [&](const char* name, std::string& into, const char* what) {
    app.add_option(name, into, what)->required()->check(CLI::ExistingFile);
  };
  file("--certificate", out.files.certificate, "The certificate, PEM");
  file("--key", out.files.key, "Its key, PEM");
  file("--ca", out.files.ca, "The CA that has signed all certificates, PEM");
  file("--token-file", out.token_file, "Its first line lets agents join");
}

void describe_front(CLI::App& app, words& out) {
  auto& front = out.front;
  describe_secrets(app, front.known);
  app.add_option("TREE", front.paths, "Files, and directories to walk")
    ->required();
  app
    .add_option("--address", front.address,
                "The address of this machine where agents join")
    ->capture_default_str();
  app.add_option("--port", front.port, "The port where agents join; 0: any")
    ->capture_default_str();
  app
    .add_option("--lease", out.lease,
                "After how many seconds of silence a node is given up")
    ->check(CLI::Range(shortest_lease, longest_lease))
    ->capture_default_str();
  app
    .add_option("--retry", front.retries,
                "How often a file is sent again whose node was lost")
    ->check(CLI::Range(0U, most_retries))
    ->capture_default_str();
  app
    .add_option("--capacity-bytes", front.capacity,
                "How much of the files is under way at once, e.g. 64MB; "
                "with copies, memory is several times that")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  app
    .add_option("--largest", front.largest,
                "A bigger file is hashed by the front itself")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  live_page::describe(app, front.live);
  auto* agents = app
                   .add_option("--agents", front.agents,
                               "Start so many agents on this machine")
                   ->check(CLI::Range(std::size_t{1}, most_agents));
  app
    .add_flag("--chaos", front.chaos,
              "Kill one of them every so often, or stop it for a while")
    ->needs(agents);
}

void describe_agent(CLI::App& app, words& out) {
  auto& agent = out.agent;
  describe_secrets(app, agent.known);
  app.add_option("HOST:PORT", out.where, "Where the front is")->required();
  app
    .add_option("--slots", agent.slots,
                "How many files it hashes at once; 0: one for each core")
    ->check(CLI::Range(std::size_t{0}, most_slots))
    ->capture_default_str();
  app.add_option("--name", agent.name, "What the front calls it")
    ->capture_default_str();
  app.add_option("--label", agent.labels, "What the front lists it under")
    ->allow_extra_args(false);
}

std::string host_and_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

front_options complete(const words& said, bool retries_are_said) {
  auto out = said.front;
  out.lease = std::chrono::nanoseconds{
    static_cast<std::chrono::nanoseconds::rep>(said.lease * 1e9)};
  if (out.chaos && !retries_are_said)
    out.retries = retries_in_chaos;
  return out;
}

agent_options complete(const words& said) {
  auto out = said.agent;
  out.where = address_in(said.where);
  return out;
}

} // namespace

libpool::gate_address address_in(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw std::invalid_argument("'" + text + "' is not HOST:PORT");
  auto host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, port);
  if (host.empty() || read.ec != std::errc{} || read.ptr != end || port == 0)
    throw std::invalid_argument("'" + text + "' is not HOST:PORT");
  return {host, port};
}

std::variant<command, exit_code> parse(int argc, const char* const* argv) {
  words said;
  said.agent.name = host_and_process();
  CLI::App app{"Hashes a tree of files on several machines.", "farm"};
  app.footer(footer);
  app.require_subcommand(1);
  auto* front = app.add_subcommand("front", "Have agents hash a tree");
  auto* agent = app.add_subcommand("agent", "Hash files for a front");
  describe_front(*front, said);
  describe_agent(*agent, said);
  try {
    app.parse(argc, argv);
    if (front->parsed())
      return complete(said, front->count("--retry") > 0);
    return complete(said);
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  } catch (const std::invalid_argument& why) {
    return static_cast<exit_code>(console::end_parsing(
      app, CLI::ValidationError("HOST:PORT", why.what()), usage_text));
  }
}

} // namespace farm
