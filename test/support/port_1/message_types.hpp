#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/type_id.hpp>

#include <vector>

CAF_BEGIN_TYPE_ID_BLOCK(libpool_tests, ::caf::first_custom_type_id)

CAF_ADD_TYPE_ID(libpool_tests, (std::vector<int>))
CAF_ADD_ATOM(libpool_tests, test, ask_atom)
CAF_ADD_ATOM(libpool_tests, test, keep_atom)
CAF_ADD_ATOM(libpool_tests, test, open_atom)
CAF_ADD_ATOM(libpool_tests, test, strange_atom)
CAF_ADD_ATOM(libpool_tests, test, tell_atom)
CAF_ADD_ATOM(libpool_tests, test, tick_atom)

CAF_END_TYPE_ID_BLOCK(libpool_tests)

namespace test {

/// Tells CAF the types of a block when the program starts, before there is any
/// actor system.
template <class Block>
struct told_to_caf {
  told_to_caf() {
    caf::init_global_meta_objects<Block>();
    caf::core::init_global_meta_objects();
  }
};

inline const told_to_caf<caf::id_block::libpool_tests> message_types;

} // namespace test

/// Lets messages of the test have elements of a type of its own, which has this
/// number among those of the program; to be said outside of namespaces. They
/// stay in the process.
#define LIBPOOL_TEST_MESSAGE_TYPE(number, ...) \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(__VA_ARGS__) \
  LIBPOOL_TEST_WRITTEN_TYPE(number, __VA_ARGS__)

/// The same for a type that CAF can write.
#define LIBPOOL_TEST_WRITTEN_TYPE(number, ...) \
  CAF_BEGIN_TYPE_ID_BLOCK(libpool_test_##number, \
                          ::caf::first_custom_type_id + 100 + number) \
  CAF_ADD_TYPE_ID(libpool_test_##number, (__VA_ARGS__)) \
  CAF_END_TYPE_ID_BLOCK(libpool_test_##number) \
  namespace test { \
  static const told_to_caf<caf::id_block::libpool_test_##number> \
    message_type_##number; \
  }
