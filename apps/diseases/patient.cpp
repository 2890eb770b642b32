#include "patient.hpp"

#include "live_page/option.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <thread>

namespace {

using clock_type = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

struct options {
  bool is_cured = false;
  live_page::wanted live;
  double seconds = 10;
};

/// What the command line says; an exit status if that was all.
std::optional<int> read(int argc, char** argv, const patient& who,
                        options& into) {
  CLI::App app{"A pool with a problem: " + who.name + "."};
  app.add_flag("--cured", into.is_cured, "run the pool with the problem fixed");
  live_page::describe(app, into.live);
  app.add_option("--seconds", into.seconds, "seconds to run")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  return std::nullopt;
}

/// Sends at that rate, until the time is over.
void load(const patient& who, const caf::actor& pool, const options& options) {
  constexpr std::chrono::milliseconds tick{5};
  const auto begun = clock_type::now();
  std::size_t sent = 0;
  for (auto now = begun; now < begun + seconds{options.seconds};
       now = clock_type::now()) {
    auto due = seconds{now - begun}.count() * who.per_second;
    for (; static_cast<double>(sent) < due; ++sent)
      who.send(pool, sent, options.is_cured);
    std::this_thread::sleep_for(tick);
  }
}

double in_ms(libpool::duration time) {
  return std::chrono::duration<double, std::milli>{time}.count();
}

void report(const libpool::pool_stats& stats, double time) {
  fmt::print("{} completed, {:.0f}/s; {} waiting, {} refused\n"
             "waiting time: p50 {:.1f} ms, p99 {:.1f} ms\n"
             "service time: p50 {:.3f} ms, p99 {:.3f} ms\n",
             stats.tasks.completed,
             static_cast<double>(stats.tasks.completed) / time,
             stats.tasks.waiting + stats.tasks.assigned, stats.refused,
             in_ms(stats.total.waits.percentile(50)),
             in_ms(stats.total.waits.percentile(99)),
             in_ms(stats.total.services.percentile(50)),
             in_ms(stats.total.services.percentile(99)));
}

void run(const patient& who, const options& options) {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = who.make(system, options.is_cured);
  {
    live_page::page page{options.live, [](const std::string& line) {
                           fmt::print("{}\n", line);
                           std::fflush(stdout);
                         }};
    page.add(pool, who.name);
    load(who, pool, options);
    report(libpool::actor_pool::summary(pool), options.seconds);
  }
  caf::anon_send_exit(pool, caf::exit_reason::kill);
  if (who.end != nullptr)
    who.end();
}

} // namespace

int look_after(int argc, char** argv, const patient& who) {
  options options;
  if (auto status = read(argc, argv, who, options))
    return *status;
  try {
    run(who, options);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}

void work_for(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}
