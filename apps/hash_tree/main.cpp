#include "options.hpp"
#include "program.hpp"
#include "sha256.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace {

/// A standard stream that the caller closed must not become the next file that
/// we open: puts something there that fails like a closed one.
void reserve_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  hash_tree::keep_openssl_until_the_end();
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  auto parsed = hash_tree::parse(argc, argv);
  if (const auto* code = std::get_if<hash_tree::exit_code>(&parsed))
    return *code;
  return hash_tree::program{std::get<hash_tree::options>(parsed)}.run();
}
