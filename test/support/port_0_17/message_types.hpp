#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

#include <functional>
#include <vector>

namespace test {

/// Functions that add message types of the test to a configuration.
inline std::vector<std::function<void(caf::actor_system_config&)>>
  message_types;

/// Tells CAF of a type whenever the test makes a system.
template <class T>
struct told_to_caf {
  explicit told_to_caf(const char* name) {
    message_types.emplace_back([name](caf::actor_system_config& config) {
      config.add_message_type<T>(name);
    });
  }
};

inline const told_to_caf<std::vector<int>> numbers_are_written{"numbers"};

} // namespace test

/// Lets messages of the test have elements of a type of its own, which has this
/// number among those of the program; to be said outside of namespaces. They
/// stay in the process.
#define LIBPOOL_TEST_MESSAGE_TYPE(number, ...) \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(__VA_ARGS__)

/// The same for a type that CAF can write.
#define LIBPOOL_TEST_WRITTEN_TYPE(number, ...) \
  namespace test { \
  static const told_to_caf<__VA_ARGS__> message_type_##number{#__VA_ARGS__}; \
  }

namespace test {

using ask_atom = caf::atom_constant<caf::atom("ask")>;
using keep_atom = caf::atom_constant<caf::atom("keep")>;
using open_atom = caf::atom_constant<caf::atom("open")>;
using strange_atom = caf::atom_constant<caf::atom("strange")>;
using tell_atom = caf::atom_constant<caf::atom("tell")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;

} // namespace test
