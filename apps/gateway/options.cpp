#include "options.hpp"

#include "console/parsing.hpp"
#include "live_page/option.hpp"

namespace gateway {

namespace {

constexpr const char* footer = R"(
Clients name their tenant by the header X-Api-Key, and may set a deadline by the
header X-Deadline-Ms. SIGHUP reads the tenants file again; a wrong file changes
nothing. SIGTERM ends the program after the last answer, a second one at once.

Answers of the gateway itself: 400 wrong header, 401 unknown key, 429 too many
waiting requests of the tenant, 502 the upstream failed, 503 too many waiting
requests or shutting down, 504 deadline passed. 429, 502 and 503 have a
header Retry-After if the time is known.

Exit codes: 0 success; 1 the start failed; 2 wrong usage.)";

constexpr const char* usage_text =
  "Usage: gateway --upstream HOST:PORT --tenants FILE [--port PORT] ...\n"
  "Try 'gateway --help'.";

void describe_limits(CLI::App& app, options& out) {
  const CLI::Range counts{std::size_t{1}, std::size_t{1'000'000}};
  app
    .add_option("--workers", out.workers, "Number of workers, one thread each")
    ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
    ->capture_default_str();
  app
    .add_option("--capacity", out.capacity,
                "Maximum number of waiting requests of all tenants")
    ->check(counts)
    ->capture_default_str();
  app
    .add_option("--tenant-capacity", out.tenant_capacity,
                "Maximum number of waiting requests of each tenant")
    ->check(counts)
    ->capture_default_str();
  app
    .add_option_function<milliseconds::rep>(
      "--shed-ms", [&out](const auto& ms) { out.shed = milliseconds{ms}; },
      "Drop requests of a tenant that have waited for twice this time, while "
      "all of them wait for longer than this; default: drop none")
    ->check(CLI::Range(milliseconds::rep{1}, longest_deadline.count()));
}

/// Adds an option in milliseconds.
void add_time(CLI::App& app, const char* name, milliseconds& out,
              const std::string& what) {
  app
    .add_option_function<milliseconds::rep>(
      name, [&out](const auto& ms) { out = milliseconds{ms}; }, what)
    ->check(CLI::Range(milliseconds::rep{1}, longest_deadline.count()))
    ->default_str(std::to_string(out.count()));
}

void describe_upstream(CLI::App& app, options& out) {
  app.add_option("--upstream", out.upstream, "HOST:PORT of the upstream")
    ->required();
  add_time(app, "--upstream-timeout-ms", out.upstream_timeout,
           "Maximum time of one call to the upstream");
  add_time(app, "--deadline-ms", out.deadline,
           "Deadline of requests without a header X-Deadline-Ms");
  app
    .add_option("--retries", out.retries,
                "Maximum number of retries of a GET, HEAD, PUT, DELETE or "
                "OPTIONS request whose call to the upstream failed")
    ->check(CLI::Range(1U, 100U))
    ->capture_default_str();
  add_time(app, "--backoff-ms", out.backoff,
           "Longest time before the first retry; it doubles with each retry");
}

void describe(CLI::App& app, options& out) {
  app.footer(footer);
  app.add_option("--address", out.address, "Address for clients")
    ->capture_default_str();
  app.add_option("--port", out.port, "Port for clients; 0: any free port")
    ->capture_default_str();
  app
    .add_option("--admin-port", out.admin_port,
                "Port at 127.0.0.1 for /metrics and /ledger; 0: any free port")
    ->capture_default_str();
  app
    .add_option("--tenants", out.tenants,
                "JSON file with the tenants, their keys and limits")
    ->required();
  describe_limits(app, out);
  describe_upstream(app, out);
  app.add_flag("--log", out.log,
               "Print tenant, method, target, status and milliseconds of each "
               "request");
  live_page::describe(app, out.live);
}

} // namespace

std::variant<options, int> parse(int argc, const char* const* argv) {
  options result;
  CLI::App app{"Limits, retries and cancels calls of tenants to an upstream.",
               "gateway"};
  describe(app, result);
  try {
    app.parse(argc, argv);
    return result;
  } catch (const CLI::ParseError& why) {
    return console::end_parsing(app, why, usage_text);
  }
}

} // namespace gateway
