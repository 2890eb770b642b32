#include "program.hpp"

#include "plot.hpp"
#include "report.hpp"
#include "run.hpp"

#include "libpool/pool.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

namespace tenants {

namespace {

using libpool::actor_pool;

[[noreturn]] void fail(const std::string& output) {
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                          output);
}

/// Requests are of the flow that their first string names: the tenant's.
actor_pool::policy fair_queuing() {
  libpool::flow_options options;
  options.flow_of = libpool::flow_by<std::string>();
  return actor_pool::fair_queuing(options);
}

/// At once, since it takes a while to the next lines.
template <class T>
void show(const T& value) {
  errno = 0;
  print(std::cout, value);
  if (!std::cout.flush())
    fail("standard output");
}

std::vector<run_result> run_both(const options& options) {
  const auto& scenario = options.scenario;
  auto live = options.live;
  std::vector<run_result> out;
  show(scenario);
  out.push_back(run("fifo", actor_pool::shared_queue(), scenario, live));
  show(out.back());
  out.push_back(run("fair_queuing", fair_queuing(), scenario, live));
  show(out.back());
  return out;
}

/// The file is created at once, so that a name that is none is known before the
/// work begins.
void run_and_plot(const options& options) {
  const auto& path = options.plot;
  errno = 0;
  std::ofstream plot{path};
  if (!plot)
    fail(path);
  const auto runs = run_both(options);
  errno = 0;
  write_plot(plot, options.scenario, runs);
  plot.close();
  if (!plot)
    fail(path);
}

} // namespace

exit_code run_program(const options& options) try {
  if (options.plot.empty())
    run_both(options);
  else
    run_and_plot(options);
  return success;
} catch (const std::exception& why) {
  std::cerr << "tenants: " << why.what() << '\n';
  return output_failed;
}

} // namespace tenants
