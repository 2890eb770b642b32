/// Loads two plug-ins that make pools in the actor system of this program,
/// which does not link libpool.

#include <caf/all.hpp>

#include <chrono>
#include <dlfcn.h>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace {

/// A plug-in, which stays loaded.
class plugin {
public:
  explicit plugin(const char* path)
    : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr)
      throw std::runtime_error{dlerror()};
  }

  template <class F>
  F* function(const char* name) const {
    auto* found = dlsym(library_, name);
    if (found == nullptr)
      throw std::runtime_error{dlerror()};
    return reinterpret_cast<F*>(found);
  }

private:
  void* library_;
};

bool answers(caf::actor_system& system, const caf::actor& pool, int expected) {
  auto result = 0;
  caf::scoped_actor self{system};
  self->request(pool, std::chrono::seconds{10}, 7)
    .receive(
      [&](int x) { result = x; },
      [](const caf::error& why) { std::cerr << caf::to_string(why) << '\n'; });
  std::cout << "expected " << expected << ", got " << result << '\n';
  return result == expected;
}

bool run(const plugin& doubling, const plugin& tripling, bool nests) {
  using configure = void(caf::actor_system_config&);
  using spawn = void(caf::actor_system&, caf::actor&);
  using nest = void(caf::actor_system&, const caf::actor&, caf::actor&);
  caf::actor_system_config config;
  doubling.function<configure>("set_up")(config);
  tripling.function<configure>("set_up")(config);
  caf::actor_system system{config};
  caf::actor doubled;
  doubling.function<spawn>("spawn")(system, doubled);
  caf::actor tripled;
  tripling.function<spawn>("spawn")(system, tripled);
  if (!answers(system, doubled, 14) || !answers(system, tripled, 21))
    return false;
  if (!nests)
    return true;
  caf::actor outer;
  tripling.function<nest>("nest")(system, doubled, outer);
  return answers(system, outer, 14);
}

} // namespace

// Exits with 0 if the pools of both plug-ins answer. With a third argument, the
// second plug-in also makes a pool whose worker is the pool of the first one.
int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  const plugin doubling{argv[1]};
  const plugin tripling{argv[2]};
  return run(doubling, tripling, argc > 3) ? 0 : 1;
}
