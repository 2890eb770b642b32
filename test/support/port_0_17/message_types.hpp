#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>

/// Lets messages of the test have elements of a type of its own, which has this
/// number among those of the program; to be said outside of namespaces. They
/// stay in the process.
#define LIBPOOL_TEST_MESSAGE_TYPE(number, ...) \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(__VA_ARGS__)

namespace test {

using ask_atom = caf::atom_constant<caf::atom("ask")>;
using keep_atom = caf::atom_constant<caf::atom("keep")>;
using open_atom = caf::atom_constant<caf::atom("open")>;
using strange_atom = caf::atom_constant<caf::atom("strange")>;
using tell_atom = caf::atom_constant<caf::atom("tell")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;

} // namespace test
