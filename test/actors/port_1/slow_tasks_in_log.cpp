/// Slow tasks in CAF's log, which Debian's CAF 0.17 is built without.

#include "libpool/pool.hpp"
#include "support/config.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace slow_tasks_in_log_tests {

using libpool::actor_pool;
using std::chrono_literals::operator""ns;

namespace {

/// The log of a system with a pool that has done a task and ended.
void fill(const std::string& log) {
  test::config settings{1};
  settings.set("caf.logger.file.path", log);
  settings.set("caf.logger.file.verbosity", "warning");
  caf::actor_system system{settings};
  libpool::managed_options options;
  options.workers = 1;
  options.slow_after = 1ns;
  auto worker = [] { return caf::behavior{[](int x) { return x; }}; };
  auto pool = actor_pool::make(
    system, 1, [&] { return system.spawn(worker); },
    actor_pool::shared_queue(options));
  caf::scoped_actor self{system};
  self->mail(7)
    .request(pool, caf::infinite)
    .receive([](int) {}, [](const caf::error& why) { FAIL(to_string(why)); });
  actor_pool::drain(pool);
}

} // namespace

TEST_CASE("a slow task is reported as a warning in CAF's log") {
  auto log = std::filesystem::temp_directory_path()
             / ("libpool-log-" + std::to_string(::getpid()));
  fill(log.string());
  std::ifstream file{log};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  std::filesystem::remove(log);
  CAPTURE(text);
  CHECK(text.find("WARN") != std::string::npos);
  CHECK(text.find("ran for") != std::string::npos);
}

} // namespace slow_tasks_in_log_tests
