/// A hot key: messages go to the worker that has the data of their key, and
/// four of five have the same one.
///
/// Cure: that key's data is at several workers. `may_run_on` names all of them,
/// and the first one with room takes the message.

#include "patient.hpp"
#include "port/sending.hpp"

#include <numeric>

using namespace std::chrono_literals;

namespace {

constexpr std::size_t workers = 4;

caf::behavior holder(caf::event_based_actor*) {
  return {[](std::size_t) { work_for(10ms); }};
}

/// Where the data of the key is.
std::vector<std::size_t> places_of(std::size_t key, bool is_cured) {
  if (!is_cured || key != 0)
    return {key % workers};
  std::vector<std::size_t> all(workers);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

caf::actor make(caf::actor_system& system, bool is_cured) {
  libpool::managed_options options;
  options.workers = workers;
  options.may_run_on = [=](const libpool::message_content& message) {
    auto key = message.get_as<std::size_t>(0);
    return std::optional{libpool::worker_choice{places_of(key, is_cured)}};
  };
  return libpool::spawn_pool(
    system, options, [&] { return system.spawn<caf::detached>(holder); });
}

std::size_t key_of(std::size_t i) {
  return i % 5 == 0 ? i / 5 : 0;
}

} // namespace

int main(int argc, char** argv) {
  return look_after(
    argc, argv,
    {"a hot key", make, 200, [](const caf::actor& pool, std::size_t i, bool) {
       port::anon_send(pool, key_of(i));
     }});
}
