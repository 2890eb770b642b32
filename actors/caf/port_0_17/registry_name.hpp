#pragma once

#include <caf/atom.hpp>

namespace libpool {

/// Returns the name of an actor in CAF's registry, of at most ten characters.
constexpr caf::atom_value registry_name(const char (&text)[11]) {
  return caf::atom(text);
}

} // namespace libpool
