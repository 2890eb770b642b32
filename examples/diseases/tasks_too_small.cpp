/// Tasks that are too small: one message for each number that is to be squared.
/// To send and to receive a message takes a hundred times as long as to square
/// a number.
///
/// Cure: a message for a thousand numbers.

#include "patient.hpp"
#include "port/sending.hpp"

#include <cstdint>
#include <numeric>

namespace {

constexpr std::size_t portion = 1'000;

using numbers = std::vector<std::int64_t>;

caf::behavior squarer(caf::event_based_actor*) {
  return {[](std::int64_t x) { static_cast<void>(x * x); },
          [](const numbers& all) {
            std::inner_product(all.begin(), all.end(), all.begin(),
                               std::int64_t{0});
          }};
}

caf::actor make(caf::actor_system& system, bool) {
  libpool::managed_options options;
  options.workers = 2;
  return libpool::spawn_pool(system, options,
                             [&] { return system.spawn(squarer); });
}

void send(const caf::actor& pool, std::size_t i, bool is_cured) {
  auto number = static_cast<std::int64_t>(i);
  if (!is_cured)
    port::anon_send(pool, number);
  else if (i % portion == 0)
    port::anon_send(pool, numbers(portion, number));
}

} // namespace

int main(int argc, char** argv) {
  return look_after(argc, argv, {"tasks too small", make, 200'000, send});
}
