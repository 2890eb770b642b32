#include "program.hpp"

#include "broker.hpp"
#include "nats_queue.hpp"
#include "submit.hpp"
#include "work.hpp"

#include "console/signals.hpp"

#include <atomic>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace durable {

namespace {

void run(const std::string& server, const submit_options& options) {
  broker to{server};
  const auto what = submit(to, options, std::cin);
  std::cout << "submitted " << what.all << ", new " << what.fresh << '\n';
}

/// With the first signal, what was taken is finished.
void run(const std::string& server, const work_options& options) {
  std::atomic<bool> stopped{false};
  const console::signals ends{stopped};
  nats_queue queue{server, options.ack_wait};
  work(queue, options, std::cout, stopped);
}

void run(const std::string& server, const status_options&) {
  broker of{server};
  const auto letters = of.dead_letters();
  std::cout << "jobs " << of.count_jobs() << "\ndead " << letters.size()
            << '\n';
  for (const auto& letter : letters)
    std::cout << letter.path << ": " << letter.why << '\n';
}

} // namespace

exit_code run_program(const options& options) try {
  std::visit([&](const auto& what) { run(options.server, what); },
             options.command);
  if (!std::cout.flush())
    throw std::runtime_error("cannot write to standard output");
  return success;
} catch (const std::exception& why) {
  std::cerr << "durable: " << why.what() << '\n';
  return some_failed;
}

} // namespace durable
