#include "program.hpp"

#include "client.hpp"
#include "pool_report.hpp"

#include "libpool/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <stdexcept>
#include <thread>

namespace poolctl {

namespace {

constexpr const char* footer = R"(
ADDRESS, which comes first, is the address of a live view, such as
http://127.0.0.1:8080. Commands for one pool need --pool if the server shows several.

Environment: LIBPOOL_TOKEN is the token; unlike --token, it does not show in the
list of processes.

Exit codes: 0 success; 1 the server is not reached or refuses the command, one
line on standard error says why; 2 wrong usage.)";

/// Arguments of the command line.
struct arguments {
  std::string server;
  std::string token;
  std::string pool;
  bool is_json = false;
  double interval_s = 1;
  std::uint64_t tables = 0; ///< 0: until a signal
  /// Parameters of a command that changes a pool, as the server knows them.
  std::map<std::string, std::string> parameters;
  unsigned seconds = 10;
  std::string file = "-";
  bool is_picture = false;
};

/// Carries out commands with the server.
class session {
public:
  session(const arguments& given, std::ostream& out)
    : given_(given), out_(out), server_(given.server, given.token) {
    // nop
  }

  void stats() {
    const auto state = state_now();
    if (given_.is_json)
      return print(given_.pool.empty() ? state : chosen(state));
    for (const auto& each : chosen_pools(state))
      out_ << report_of_pool(each);
    if (given_.pool.empty())
      for (const auto& each : state.value("pipelines", json::array()))
        out_ << report_of_pipeline(each);
  }

  void watch() {
    for (std::uint64_t i = 0; i == 0 || i != given_.tables; ++i) {
      if (i > 0)
        std::this_thread::sleep_for(
          std::chrono::duration<double>{given_.interval_s});
      const auto pools = chosen_pools(state_now());
      given_.is_json ? print(pools) : write(overview_of(pools));
      finish();
    }
  }

  void limits() {
    const auto pool = chosen(state_now());
    if (given_.is_json)
      return print(pool.value("limits", json::array()));
    const auto text = report_of_limits(pool);
    write(text.empty() ? "no limit holds back a task\n" : text);
  }

  void change(const std::string& command) {
    auto target = "/api/v1/pools/" + url_part(pool_name()) + '/' + command;
    auto mark = '?';
    for (const auto& [name, value] : given_.parameters) {
      target += mark + name + '=' + url_part(value);
      mark = '&';
    }
    auto told = server_.post(target);
    told.erase(std::min(told.find('\n'), told.size()));
    given_.is_json ? print({{"told", told}}) : write(printable(told) + '\n');
  }

  /// Passes all output on.
  void finish() {
    if (!out_.flush())
      throw std::runtime_error("cannot write the output");
  }

  void record() {
    const auto got = server_.get(fmt::format(
      "/{}?seconds={}&pool={}", given_.is_picture ? "gantt.svg" : "trace",
      given_.seconds, url_part(pool_name())));
    if (got.rfind(given_.is_picture ? "<" : "{", 0) != 0)
      throw std::runtime_error(server_.server()
                               + " did not send a recording; check that it is "
                                 "a live view of libpool");
    if (given_.file == "-")
      return write(got);
    std::ofstream file{given_.file, std::ios::binary};
    if (!(file << got).flush())
      throw std::runtime_error("cannot write " + printable(given_.file));
  }

private:
  json state_now() const {
    auto result = json::parse(server_.get("/api/v1/pools"), nullptr, false);
    const auto is_pool = [](const json& each) {
      return each.is_object() && each.contains("name")
             && each["name"].is_string();
    };
    const auto pools = result.is_object() ? result.value("pools", json{})
                                          : json{};
    if (!pools.is_array() || !std::all_of(pools.begin(), pools.end(), is_pool))
      throw std::runtime_error(server_.server()
                               + " did not send a list of pools; check that it "
                                 "is a live view of libpool");
    return result;
  }

  /// Returns the pool that the user has named, or the only one.
  json chosen(const json& state) const {
    const auto& pools = state["pools"];
    if (given_.pool.empty() && pools.size() == 1)
      return pools[0];
    std::string names;
    for (const auto& each : pools) {
      if (each["name"] == given_.pool)
        return each;
      names += ' ' + value_text("name", each);
    }
    throw std::runtime_error(
      server_.server()
      + (pools.empty() ? " shows no pool"
         : given_.pool.empty()
           ? " shows several pools: choose one with --pool:"
           : " shows no pool " + printable(given_.pool) + "; there are:")
      + names);
  }

  json chosen_pools(const json& state) const {
    return given_.pool.empty() ? state["pools"] : json::array({chosen(state)});
  }

  std::string pool_name() const {
    return given_.pool.empty() ? chosen(state_now())["name"].get<std::string>()
                               : given_.pool;
  }

  void print(const json& value) {
    write(value.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
  }

  void write(const std::string& text) {
    out_ << text;
  }

  const arguments& given_;
  std::ostream& out_;
  client server_;
};

/// Empty if the text is a whole number.
std::string is_number(const std::string& text) {
  const auto is_digit = [](unsigned char each) { return std::isdigit(each); };
  return std::all_of(text.begin(), text.end(), is_digit) ? ""
                                                         : "must be a number";
}

/// Empty if the text can be a header. A line break would begin another one.
std::string is_token(const std::string& text) {
  const auto is_plain = [](char each) { return each > ' ' && each < '\x7f'; };
  return std::all_of(text.begin(), text.end(), is_plain)
           ? ""
           : "must be printable ASCII characters without spaces";
}

std::string is_name(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

using command = std::function<void(session&)>;

void add_readers(CLI::App& app, arguments& given, command& chosen) {
  app.add_subcommand("stats", "Print what is known of the pools")
    ->callback([&] { chosen = &session::stats; });
  auto* watch = app.add_subcommand("watch", "Print a row for each pool, again "
                                            "and again");
  watch->add_option("--interval", given.interval_s, "Time between two tables")
    ->type_name("SECONDS")
    ->capture_default_str()
    ->check([](const std::string& text) {
      const auto time = std::atof(text.c_str());
      return time >= 0.05 && time <= 3600 ? "" : "must be from 0.05 to 3600";
    });
  watch
    ->add_option("--tables", given.tables,
                 "Number of tables; 0: until a signal")
    ->capture_default_str()
    ->check(is_number);
  watch->callback([&] { chosen = &session::watch; });
  app.add_subcommand("limits", "Print the limits that hold back tasks")
    ->callback([&] { chosen = &session::limits; });
  auto* record = app.add_subcommand("record", "Write the last tasks, for "
                                              "ui.perfetto.dev");
  record->add_option("--seconds", given.seconds, "Time that is written")
    ->capture_default_str()
    ->check(CLI::Range(1, 600));
  record->add_option("--output", given.file, "File; -: standard output")
    ->type_name("FILE")
    ->capture_default_str();
  record->add_flag("--svg", given.is_picture, "Write a picture");
  record->callback([&] { chosen = &session::record; });
}

void add_changers(CLI::App& app, arguments& given, command& chosen) {
  const auto add = [&](const char* name, const char* help) {
    auto* result = app.add_subcommand(name, help);
    result->callback([&chosen, name] {
      chosen = [name](session& running) { running.change(name); };
    });
    return result;
  };
  const auto parameter = [&](const char* name) {
    return [&given, name](const std::string& value) {
      given.parameters[name] = value;
    };
  };
  const auto add_names = [&](CLI::App* target, const char* other) {
    auto* group = target->add_option_group("which");
    group->add_option_function<std::string>(
      "--flow", parameter("flow"), "Flow; an empty name: the one without name");
    group
      ->add_option_function<std::string>(std::string{"--"} + other,
                                         parameter(other))
      ->check(is_name);
    return group;
  };
  for (auto* each : {add("pause", "Pause the pool, a flow or a node"),
                     add("resume", "Resume the pool, a flow or a node")})
    add_names(each, "node")->require_option(0, 1);
  auto* messages = add_names(add("cancel", "Cancel messages"), "id");
  messages->add_flag_callback(
    "--all", [&given] { given.parameters["all"] = "true"; }, "All messages");
  messages->require_option(1);
  add("resize", "Set the number of workers")
    ->add_option_function<std::string>("N", parameter("n"), "Number of workers")
    ->required()
    ->check(is_number)
    ->check(CLI::Range(1, 65536));
  add("drain", "End the pool once all accepted messages are settled");
}

} // namespace

exit_code run(int argc, const char* const* argv, std::ostream& out,
              std::ostream& err) {
  arguments given;
  command chosen;
  CLI::App app{"Shows and changes the pools of a running program.", "poolctl"};
  app.footer(footer);
  app.set_version_flag("--version", "poolctl " LIBPOOL_VERSION_STRING,
                       "Print the version and exit");
  app.add_option("--token", given.token, "Token that the server requires")
    ->envname("LIBPOOL_TOKEN")
    ->check(is_token);
  app.add_option("--pool", given.pool, "Name of the pool")->type_name("NAME");
  app.add_flag("--json", given.is_json, "Print JSON");
  app.add_option("ADDRESS", given.server, "Address of the server")->required();
  app.fallthrough();
  app.require_subcommand(1);
  add_readers(app, given, chosen);
  add_changers(app, given, chosen);
  try {
    app.parse(argc, argv);
    session running{given, out};
    chosen(running);
    running.finish();
    return success;
  } catch (const CLI::ParseError& why) {
    return app.exit(why, out, err) == 0 ? success : invalid;
  } catch (const std::invalid_argument& why) {
    err << "poolctl: " << why.what() << '\n';
    return invalid;
  } catch (const json::exception&) {
    err << "poolctl: the server's answer is not that of a live view of "
           "libpool\n";
    return failed;
  } catch (const std::exception& why) {
    err << "poolctl: " << why.what() << '\n';
    return failed;
  }
}

} // namespace poolctl
