/// Tasks that are too small: one message for each number that is to be squared.
/// To send and to receive a message takes a hundred times as long as to square
/// a number.
///
/// Cure: a message for a thousand numbers.

#include "patient.hpp"
#include "port/sending.hpp"

#include <cstdint>
#include <numeric>
#include <string>

namespace {

constexpr std::size_t portion = 1'000;

/// Returns the sum of the squares of the numbers, each of which is one byte.
std::uint64_t squares(const std::string& numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), numbers.begin(),
                            std::uint64_t{0});
}

caf::behavior squarer(caf::event_based_actor*) {
  return {[](std::uint8_t x) { static_cast<void>(x * x); },
          [](const std::string& numbers) { squares(numbers); }};
}

caf::actor make(caf::actor_system& system, bool) {
  libpool::managed_options options;
  options.workers = 2;
  return libpool::spawn_pool(system, options,
                             [&] { return system.spawn(squarer); });
}

void send(const caf::actor& pool, std::size_t i, bool is_cured) {
  if (!is_cured)
    port::anon_send(pool, static_cast<std::uint8_t>(i));
  else if (i % portion == 0)
    port::anon_send(pool, std::string(portion, 'x'));
}

} // namespace

int main(int argc, char** argv) {
  return look_after(argc, argv, {"tasks too small", make, 200'000, send});
}
