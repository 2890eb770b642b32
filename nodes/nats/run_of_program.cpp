#include "libpool/nodes/nats/run_of_program.hpp"

#include <unistd.h>

#include <array>
#include <random>

namespace libpool {

std::uint64_t draw_run() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 32U | entropy();
}

std::string name_of_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "node";
}

} // namespace libpool
