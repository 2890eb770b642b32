#include "libpool/pool.hpp"
#include "libpool/sync/shared_spinlock.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>

// The header and the package are of one version.
static_assert(libpool::version == EXPECTED_VERSION);

namespace {

caf::behavior doubler() {
  return {[](int x) { return 2 * x; }};
}

} // namespace

// Exits with 0 if a pool that is asked to double 21 answers as expected.
int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  const auto expected = std::atoi(argv[1]);
  auto answer = -1;

  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  caf::actor_system sys{cfg};
  auto pool = libpool::actor_pool::make(
    sys, 2, [&] { return sys.spawn(doubler); },
    libpool::actor_pool::round_robin());
  caf::scoped_actor self{sys};
  self->request(pool, std::chrono::seconds{10}, 21)
    .receive([&](int x) { answer = x; },
             [&](const caf::error& why) {
               std::cerr << libpool::render(why, sys) << '\n';
             });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);

  std::cout << "expected " << expected << ", got " << answer << '\n';
  return answer == expected ? 0 : 1;
}
