#include "program.hpp"

#include "client.hpp"
#include "report.hpp"

#include "libpool/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <ostream>
#include <regex>
#include <stdexcept>
#include <thread>

namespace poolctl {

namespace {

/// Returns a check that refuses texts in which the pattern is found.
CLI::Validator refuse(const char* pattern, const char* rule) {
  return {[=](const std::string& text) -> std::string {
            return std::regex_search(text, std::regex{pattern}) ? rule : "";
          },
          ""};
}

/// The commands and their arguments.
class commands {
public:
  /// Has the app run the command that it parses.
  commands(CLI::App& app, std::ostream& out) : app_(app), out_(out) {
    add(&app_, "ADDRESS", server_.address,
        "Address of a live view, such as http://127.0.0.1:8080")
      ->required();
    add(&app_, "--token", server_.token,
        "Token of the server; other users can see it, but not the variable",
        refuse("[^!-~]", "must be printable ASCII characters without spaces"))
      ->envname("LIBPOOL_TOKEN");
    add(&app_, "--pool", pool_, "Pool; needed if the server shows several");
    app_.add_flag("--json", is_json_, "Print JSON");
    add_readers();
    add_changers();
    add_failed();
  }

private:
  /// Adds an option, with the value of the field as its default.
  template <class Field>
  static CLI::Option* add(CLI::App* command, const char* name, Field& field,
                          const char* help, const CLI::Validator& check = {}) {
    return command->add_option(name, field, help)->check(check);
  }

  CLI::App* add(const char* name, const char* help,
                void (commands::*run)() = &commands::change,
                CLI::App* group = nullptr) {
    auto* result =
      (group != nullptr ? group : &app_)->add_subcommand(name, help);
    result->callback([this, run] { (this->*run)(); });
    return result;
  }

  void add_readers() {
    add("stats", "Print what is known of the pools", &commands::stats);
    auto* watch = add("watch", "Print a row for each pool, again and again",
                      &commands::watch);
    add(watch, "--interval", interval_s_, "Seconds between two tables",
        number_ & CLI::Range(0.05, 3600.0));
    add(watch, "--tables", tables_, "Number of tables; 0: until a signal",
        number_);
    add("limits", "Print the limits that hold back tasks", &commands::limits);
    auto* record = add("record", "Write the last tasks, for ui.perfetto.dev",
                       &commands::record);
    add(record, "--seconds", seconds_, "Time that is written",
        CLI::Range(1, 600));
    add(record, "--output", file_, "File; -: standard output");
    record->add_flag("--svg", is_picture_, "Write a picture");
  }

  void add_changers() {
    const auto not_empty = refuse("^$", "must not be empty");
    const auto* flow = "Flow; an empty name: the one without name";
    for (auto* each : {add("pause", "Pause the pool, a flow or a node"),
                       add("resume", "Resume the pool, a flow or a node")}) {
      each->require_option(0, 1);
      add(each, "--flow", parameter_, flow);
      add(each, "--node", parameter_, "Node", not_empty);
    }
    auto* cancel = add("cancel", "Cancel messages")->require_option(1);
    add(cancel, "--flow", parameter_, flow);
    add(cancel, "--id", parameter_, "Messages with this id", not_empty);
    cancel->add_flag("--all", parameter_, "All messages");
    auto* resize = add("resize", "Set the number of workers");
    add(resize, "n", parameter_, "Number of workers",
        number_ & CLI::Range(1, 65536))
      ->required();
    add("drain", "End the pool once all accepted messages are settled");
  }

  void add_failed() {
    auto* group = app_.add_subcommand(
      "failed", "Show and handle failed messages of the durable queue");
    group->require_subcommand(1);
    add(add("list", "Print a row for each, at most 100", &commands::list_failed,
            group),
        "--from", parameter_, "First number", number_);
    for (auto* each :
         {add("show", "Print one", &commands::show_failed, group),
          add("again", "Submit one again, once", &commands::change, group),
          add("drop", "Remove one", &commands::change, group)})
      add(each, "n", parameter_, "Number", number_)->required();
  }

  void stats() {
    pool_.empty() ? show(state_now(), report_of_server)
                  : show(chosen_pool(), report_of_pool);
  }

  void watch() {
    for (auto left = tables_;; --left) { // from 0, there is no end
      show(pool_.empty() ? state_now()["pools"] : json::array({chosen_pool()}),
           overview_of);
      if (left == 1)
        return;
      std::this_thread::sleep_for(std::chrono::duration<double>{interval_s_});
    }
  }

  void limits() {
    show(chosen_pool().value("limits", json::array()), report_of_limits);
  }

  void record() {
    const auto got = ask(
      server_, "GET",
      fmt::format("/{}?seconds={}&pool={}", is_picture_ ? "gantt.svg" : "trace",
                  seconds_, url_part(chosen_pool()["name"])));
    if (got.rfind(is_picture_ ? "<" : "{", 0) != 0)
      throw std::runtime_error(server_.address + " did not send a recording"
                               + check_server);
    write(got, file_);
  }

  void list_failed() {
    show(failed_messages(), report_of_failed);
  }

  void show_failed() {
    show(failed_messages().at(0), report_of_failed_message);
  }

  json failed_messages() const {
    const auto* command = app_.get_subcommands()[0]->get_subcommands()[0];
    const auto target = fmt::format("/api/v1/failed?pool={}{}",
                                    url_part(chosen_pool()["name"]),
                                    parameter_of(command, '&'));
    return json::parse(ask(server_, "GET", target)).at("failed");
  }

  /// Returns the option of the command, of which at most one is given, as a
  /// parameter of a request.
  std::string parameter_of(const CLI::App* command, char mark) const {
    std::string result;
    for (const auto* each : command->parse_order())
      result += fmt::format("{}{}={}", mark, each->get_single_name(),
                            url_part(parameter_));
    return result;
  }

  /// Sends the command.
  void change() {
    const auto* command = app_.get_subcommands()[0];
    auto name = command->get_name();
    if (const auto chosen = command->get_subcommands(); !chosen.empty()) {
      command = chosen[0];
      name = command->get_name() + '_' + name; // such as drop_failed
    }
    const auto target = fmt::format("/api/v1/pools/{}/{}{}",
                                    url_part(chosen_pool()["name"]), name,
                                    parameter_of(command, '?'));
    const auto told = ask(server_, "POST", target);
    show({{"told", told.substr(0, told.find('\n'))}},
         [](const json& answer) { return printable(answer["told"]) + '\n'; });
  }

  json state_now() const {
    auto result = json::parse(ask(server_, "GET", "/api/v1/pools"));
    for (const auto& each : result.at("pools").get_ref<json::array_t&>())
      each.at("name").get_ref<const std::string&>(); // throws if it is none
    return result;
  }

  /// Returns the pool that the user has named, or the only one.
  json chosen_pool() const {
    const auto pools = state_now()["pools"];
    std::string names;
    for (const auto& each : pools) {
      if (pool_.empty() ? pools.size() == 1 : each["name"] == pool_)
        return each;
      names += ' ' + printable(each["name"]);
    }
    throw std::runtime_error(
      server_.address
      + (pools.empty() ? " shows no pool"
         : pool_.empty()
           ? " shows several pools: choose one with --pool:"
           : " shows no pool " + printable(pool_) + "; there are:")
      + names);
  }

  /// Writes the value as JSON or as text for people.
  void show(const json& value, std::string (*text_of)(const json&)) const {
    constexpr auto replace = json::error_handler_t::replace;
    write(is_json_ ? value.dump(-1, ' ', false, replace) + '\n'
                   : text_of(value));
  }

  void write(const std::string& text, const std::string& name = "-") const {
    std::ofstream file;
    if (name != "-")
      file.open(name, std::ios::binary);
    if (!((name == "-" ? out_ : file) << text).flush())
      throw std::runtime_error(
        "cannot write " + (name == "-" ? "the output" : printable(name)));
  }

  CLI::App& app_;
  std::ostream& out_;
  const CLI::Validator number_ = refuse("[^0-9.]", "must be a number");
  server server_;
  std::string pool_;
  bool is_json_ = false;
  double interval_s_ = 1;
  unsigned tables_ = 0; // 0: until a signal
  unsigned seconds_ = 10;
  std::string file_ = "-";
  bool is_picture_ = false;
  std::string parameter_; // of a command that changes a pool
};

} // namespace

int run(int argc, const char* const* argv, std::ostream& out,
        std::ostream& err) {
  CLI::App app{"Shows and changes the pools of a running program.", "poolctl"};
  app.footer("\nExit codes: 0 success; 1 the server is not reached or refuses; "
             "2 wrong usage.");
  app.set_version_flag("--version", "poolctl " LIBPOOL_VERSION_STRING,
                       "Print the version and exit");
  app.option_defaults()->always_capture_default();
  app.fallthrough();
  app.require_subcommand(1);
  commands all{app, out};
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& why) {
    return app.exit(why, out, err) == 0 ? 0 : 2;
  } catch (const std::invalid_argument& why) {
    err << "poolctl: " << why.what() << '\n';
    return 2;
  } catch (const json::exception&) {
    err << "poolctl: the answer has no pools" << check_server << '\n';
  } catch (const std::exception& why) {
    err << "poolctl: " << why.what() << '\n';
  }
  return 1;
}

} // namespace poolctl
