/// Work that outlives the pool that does it: files to hash are jobs in a NATS
/// JetStream queue, from which processes with pools take them.

#include "options.hpp"
#include "program.hpp"

#include <csignal>

#include <openssl/crypto.h>

namespace {

/// Threads of actors may still be ending when `main` returns. OpenSSL must not
/// clean up before they have: its data of each thread would be lost.
void keep_openssl_until_the_end() {
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

} // namespace

int main(int argc, char** argv) {
  keep_openssl_until_the_end();
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  auto parsed = durable::parse(argc, argv);
  if (const auto* code = std::get_if<durable::exit_code>(&parsed))
    return *code;
  return durable::run_program(std::get<durable::options>(parsed));
}
