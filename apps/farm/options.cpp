#include "options.hpp"

#include "console/parsing.hpp"
#include "live_page/option.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <unistd.h>

namespace farm {

namespace {

constexpr std::size_t most_agents = 64;
constexpr unsigned most_retries = 1'000'000;
constexpr double shortest_lease = 1;
constexpr double longest_lease = 3600;
constexpr double shortest_standby = 1;
constexpr double longest_standby = 3600;

/// With `--chaos`, a file may be with many nodes in turn that are killed.
constexpr unsigned retries_in_chaos = 1'000;

constexpr const char* footer = R"(
The front reads the files, sends them to the agents of its pool, on this machine
and on others, and prints the lines of sha256sum in the order of the paths. A
submitter does the same through the pool of a front. All of them connect to NATS
servers, which know them by their certificates: FOLDER has NAME.pem, NAME.key and
ca.pem, as made by the program 'poolcert'.

Exit codes: 0 success; 1 a file, the output or the start failed; 2 wrong usage;
130 or 143 stopped by a signal.)";

constexpr const char* usage_text =
  "Usage: farm front TREE... --server tls://HOST:PORT"
  " --certificates FOLDER ...\n"
  "       farm front TREE... --local ...\n"
  "       farm agent --server tls://HOST:PORT"
  " --certificates FOLDER --name NAME ...\n"
  "       farm submit TREE... --server tls://HOST:PORT"
  " --certificates FOLDER --name NAME ...\n"
  "Try 'farm front --help', 'farm agent --help' and 'farm submit --help'.";

/// What is said on the command line, in the units in which it is said.
struct words {
  front_options front;
  agent_options agent;
  submit_options submit;
  double lease = 5;
  double standby = 0;
};

/// Options of the way to the servers.
struct way_in_words {
  CLI::Option* certificates;
  CLI::Option* name;
  std::vector<CLI::Option*> all;
};

way_in_words describe_way(CLI::App& app, way& out) {
  auto* server =
    app
      .add_option("--server", out.servers,
                  "Address of a NATS server, such as tls://10.0.0.1:4222; "
                  "nats://127.0.0.1:4222 with --insecure-loopback")
      ->allow_extra_args(false);
  auto* certificates =
    app
      .add_option("--certificates", out.certificates,
                  "Folder with NAME.pem, NAME.key and ca.pem")
      ->check(CLI::ExistingDirectory);
  auto* insecure =
    app
      .add_flag("--insecure-loopback",
                "Connect without TLS to a server on this machine")
      ->excludes(certificates);
  auto* name =
    app
      .add_option("--name", out.name,
                  "Name of this program, which its certificate must have")
      ->capture_default_str();
  return {certificates, name, {server, certificates, insecure}};
}

void describe_tree(CLI::App& app, tree_options& out, const char* lost) {
  app.add_option("TREE", out.paths,
                 "Files to hash, and directories whose files to hash");
  app
    .add_option("--retry", out.retries,
                std::string{"Maximum number of retries of a file whose "} + lost
                  + " was lost")
    ->check(CLI::Range(0U, most_retries))
    ->capture_default_str();
  app
    .add_option("--capacity-bytes", out.capacity,
                "Maximum total size of the files that wait for an agent or are "
                "at an agent, such as 64MB; the program copies files, and "
                "needs several times this memory")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  app
    .add_option(
      "--largest", out.largest,
      "Maximum size of a file that is sent to an agent; this program itself "
      "hashes larger files, and files that are too large for the servers")
    ->transform(CLI::AsSizeValue{false})
    ->capture_default_str();
  live_page::describe(app, out.live);
}

void describe_lease(CLI::App& app, words& out, const char* what) {
  app.add_option("--lease", out.lease, what)
    ->check(CLI::Range(shortest_lease, longest_lease))
    ->capture_default_str();
}

void describe_front(CLI::App& app, words& out) {
  auto& front = out.front;
  const auto words = describe_way(app, front.to);
  describe_tree(app, front.tree, "node");
  describe_lease(
    app, out,
    "Seconds without a sign of life after which a node is given up as lost, "
    "and, with --durable, after which another front gets the files of this "
    "one");
  auto* tree = app.get_option("TREE");
  auto* durable =
    app
      .add_flag(
        "--durable", front.durable,
        "Also hash the files of 'farm submit --durable', which the NATS "
        "servers keep until their digests are stored; --retry also "
        "limits the retries of a file whose front was lost")
      ->excludes(tree);
  auto* standby =
    app
      .add_option("--standby", out.standby,
                  "Seconds without a sign of life after which another front "
                  "serves the pool; a front waits while another one serves")
      ->check(CLI::Range(shortest_standby, longest_standby))
      ->excludes(tree);
  auto* local = app.add_flag("--local", front.local,
                             "Run the nodes in this process, without a server");
  for (auto* each : words.all)
    local->excludes(each);
  local->excludes(durable)->excludes(standby);
  auto* agents =
    app
      .add_option("--agents", front.agents,
                  "Number of agents to start on this machine, named own-1, "
                  "own-2 and so on; with --local, number of nodes in this "
                  "process, by default one for each core")
      ->check(CLI::Range(std::size_t{1}, most_agents));
  app
    .add_flag("--chaos", front.chaos,
              "From time to time, kill or suspend one of the agents that "
              "--agents starts")
    ->needs(agents)
    ->excludes(local);
}

void describe_agent(CLI::App& app, words& out) {
  auto& agent = out.agent;
  const auto words = describe_way(app, agent.to);
  words.certificates->needs(words.name);
  app
    .add_option(
      "--slots", agent.slots,
      "Number of files to hash at the same time; 0: one for each core")
    ->check(CLI::Range(std::size_t{0}, most_slots))
    ->capture_default_str();
  app
    .add_option("--label", agent.labels,
                "Label of this agent, shown by 'farm front'")
    ->allow_extra_args(false);
}

void describe_submit(CLI::App& app, words& out) {
  auto& submit = out.submit;
  const auto words = describe_way(app, submit.to);
  words.certificates->needs(words.name);
  describe_tree(app, submit.tree, "front");
  app.get_option("TREE")->required();
  describe_lease(app, out,
                 "Seconds without a sign of life after which 'farm front' is "
                 "given up as lost");
  app.add_flag("--durable", submit.durable,
               "Send the files to the durable queue of 'farm front --durable': "
               "a front can be lost, and a submitter that is started again "
               "gets the digests of the last ten minutes; without --lease");
}

std::string host_and_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

void require(const CLI::App& app, const char* option) {
  if (app.count(option) == 0)
    throw CLI::RequiredError(option);
}

void check_readable(const std::string& path) {
  if (!std::ifstream{path})
    throw CLI::ValidationError("--certificates", "cannot read '" + path + "'");
}

void check_way(const CLI::App& app, const way& way) {
  require(app, "--server");
  const auto is_secure = app.count("--certificates") > 0;
  if (!is_secure && app.count("--insecure-loopback") == 0)
    throw CLI::RequiredError("--certificates or --insecure-loopback");
  for (const auto& each : way.servers)
    check_server(each, is_secure ? "tls" : "nats");
  if (is_secure)
    for (const auto& file :
         {std::string{"ca.pem"}, way.name + ".pem", way.name + ".key"})
      check_readable(way.certificates + "/" + file);
  check(pool_at(way));
}

std::chrono::nanoseconds time_of(double seconds) {
  return std::chrono::nanoseconds{
    static_cast<std::chrono::nanoseconds::rep>(seconds * 1e9)};
}

front_options complete_front(const CLI::App& app, const words& said) {
  auto out = said.front;
  if (out.local)
    require(app, "TREE");
  else
    check_way(app, out.to);
  out.lease = time_of(said.lease);
  if (app.count("--standby") > 0)
    out.standby = time_of(said.standby);
  if (out.chaos && app.count("--retry") == 0)
    out.tree.retries = retries_in_chaos;
  return out;
}

command complete(const CLI::App& app, const words& said) {
  if (app.get_name() == "front")
    return complete_front(app, said);
  if (app.get_name() == "agent") {
    check_way(app, said.agent.to);
    return said.agent;
  }
  check_way(app, said.submit.to);
  auto out = said.submit;
  out.lease = time_of(said.lease);
  return out;
}

} // namespace

void check_server(const std::string& address, const std::string& scheme) {
  const auto wrong = [&] {
    return std::invalid_argument("the address of a server must be " + scheme
                                 + "://HOST:PORT, got '" + address + "'");
  };
  const auto before = scheme + "://";
  if (address.compare(0, before.size(), before) != 0)
    throw wrong();
  const auto rest = address.substr(before.size());
  const auto colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0 || rest.substr(0, colon) == "[]"
      || rest.find_first_of("/ ") != std::string::npos)
    throw wrong();
  std::uint16_t port = 0;
  const auto* end = rest.data() + rest.size();
  const auto read = std::from_chars(rest.data() + colon + 1, end, port);
  if (read.ec != std::errc{} || read.ptr != end || port == 0)
    throw wrong();
}

libpool::pool_address pool_at(const way& way) {
  libpool::nats_options options;
  options.servers = way.servers;
  options.insecure_loopback = way.certificates.empty();
  if (!options.insecure_loopback) {
    options.ca = way.certificates + "/ca.pem";
    options.certificate = way.certificates + "/" + way.name + ".pem";
    options.key = way.certificates + "/" + way.name + ".key";
  }
  return {pool_name, options};
}

std::variant<command, exit_code> parse(int argc, const char* const* argv) {
  words said;
  said.front.to.name = "front";
  said.agent.to.name = said.submit.to.name = host_and_process();
  CLI::App app{"Hashes a tree of files on several machines.", "farm"};
  app.footer(footer);
  app.require_subcommand(1);
  describe_front(
    *app.add_subcommand(
      "front", "Distribute the files of a tree to agents, which hash them"),
    said);
  describe_agent(
    *app.add_subcommand("agent", "Hash the files that 'farm front' sends"),
    said);
  describe_submit(
    *app.add_subcommand(
      "submit",
      "Hash a tree of files with the agents of a running 'farm front'"),
    said);
  try {
    app.parse(argc, argv);
    return complete(*app.get_subcommands().front(), said);
  } catch (const CLI::ParseError& why) {
    return static_cast<exit_code>(console::end_parsing(app, why, usage_text));
  } catch (const std::invalid_argument& why) {
    return static_cast<exit_code>(console::end_parsing(
      app, CLI::ValidationError("--server", why.what()), usage_text));
  }
}

} // namespace farm
