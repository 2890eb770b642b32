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
The front reads the files, sends them to the agents of its pool, on this machine
and on others, and prints the lines of sha256sum in the order of the paths. The
front and all agents present certificates of one CA. Agents also present the
token, which is the first line of a file.

Exit codes: 0 success; 1 a file, the output or the start failed; 2 wrong usage;
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
  file("--certificate", out.files.certificate,
       "PEM file with the certificate of this program");
  file("--key", out.files.key, "PEM file with the key of the certificate");
  file("--ca", out.files.ca,
       "PEM file with the certificate of the CA that signed all certificates");
  file("--token-file", out.token_file,
       "File whose first line is the token that agents present");
}

void describe_front(CLI::App& app, words& out) {
  auto& front = out.front;
  describe_secrets(app, front.known);
  app
    .add_option("TREE", front.paths,
                "Files to hash, and directories whose files are hashed")
    ->required();
  app
    .add_option("--address", front.address,
                "Address of this machine at which agents join")
    ->capture_default_str();
  app
    .add_option("--port", front.port,
                "Port at which agents join; 0: any free port")
    ->capture_default_str();
  app
    .add_option("--lease", out.lease,
                "Seconds of silence after which a node counts as lost")
    ->check(CLI::Range(shortest_lease, longest_lease))
    ->capture_default_str();
  app
    .add_option("--retry", front.retries,
                "Maximum number of retries of a file whose node was lost")
    ->check(CLI::Range(0U, most_retries))
    ->capture_default_str();
  app
    .add_option(
      "--capacity-bytes", front.capacity,
      "Maximum size of the files that wait or are in flight, such as 64MB; "
      "with copies, the program needs several times that memory")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  app
    .add_option(
      "--largest", front.largest,
      "Maximum size of a file for agents; the front hashes larger files itself")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  live_page::describe(app, front.live);
  auto* agents = app
                   .add_option("--agents", front.agents,
                               "Number of agents to start on this machine")
                   ->check(CLI::Range(std::size_t{1}, most_agents));
  app
    .add_flag("--chaos", front.chaos,
              "Repeatedly kill or suspend one of these agents")
    ->needs(agents);
}

void describe_agent(CLI::App& app, words& out) {
  auto& agent = out.agent;
  describe_secrets(app, agent.known);
  app.add_option("HOST:PORT", out.where, "Address of the front")->required();
  app
    .add_option(
      "--slots", agent.slots,
      "Number of files to hash at the same time; 0: one for each core")
    ->check(CLI::Range(std::size_t{0}, most_slots))
    ->capture_default_str();
  app.add_option("--name", agent.name, "Display name of the agent")
    ->capture_default_str();
  app
    .add_option("--label", agent.labels,
                "Label of the agent, which the front lists")
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
    throw std::invalid_argument("the address must be HOST:PORT, got '" + text
                                + "'");
  auto host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, port);
  if (host.empty() || read.ec != std::errc{} || read.ptr != end || port == 0)
    throw std::invalid_argument("the address must be HOST:PORT, got '" + text
                                + "'");
  return {host, port};
}

std::variant<command, exit_code> parse(int argc, const char* const* argv) {
  words said;
  said.agent.name = host_and_process();
  CLI::App app{"Hashes a tree of files on several machines.", "farm"};
  app.footer(footer);
  app.require_subcommand(1);
  auto* front = app.add_subcommand("front", "Hash trees of files on agents");
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
