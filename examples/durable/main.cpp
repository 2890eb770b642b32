/// Work that outlives the pool that does it: files to hash are jobs in a NATS
/// JetStream queue, from which processes with pools take them.

#include "hash_tree/sha256.hpp"
#include "options.hpp"
#include "program.hpp"

#include <csignal>

int main(int argc, char** argv) {
  hash_tree::keep_openssl_until_the_end();
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  auto parsed = durable::parse(argc, argv);
  if (const auto* code = std::get_if<durable::exit_code>(&parsed))
    return *code;
  return durable::run_program(std::get<durable::options>(parsed));
}
