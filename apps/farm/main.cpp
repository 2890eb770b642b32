#include "agent.hpp"
#include "front.hpp"
#include "hash_tree/sha256.hpp"
#include "options.hpp"
#include "submit.hpp"

#include <csignal>
#include <exception>
#include <iostream>

namespace {

int run(const farm::front_options& options) {
  return farm::run_front(options);
}

int run(const farm::agent_options& options) {
  return farm::run_agent(options);
}

int run(const farm::submit_options& options) {
  return farm::run_submit(options);
}

} // namespace

int main(int argc, char** argv) {
  hash_tree::keep_openssl_until_the_end();
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  auto parsed = farm::parse(argc, argv);
  if (const auto* code = std::get_if<farm::exit_code>(&parsed))
    return *code;
  try {
    return std::visit([](const auto& x) { return run(x); },
                      std::get<farm::command>(parsed));
  } catch (const std::exception& why) {
    std::cerr << "farm: " << why.what() << '\n';
    return farm::some_failed;
  }
}
