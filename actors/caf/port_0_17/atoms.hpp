#pragma once

#include <caf/atom.hpp>
#include <caf/type_id.hpp>

namespace libpool {

using stats_atom = caf::atom_constant<caf::atom("STATS")>;
using resize_atom = caf::atom_constant<caf::atom("RESIZE")>;
using drain_atom = caf::atom_constant<caf::atom("DRAIN")>;
using pull_atom = caf::atom_constant<caf::atom("PULL")>;
using end_atom = caf::atom_constant<caf::atom("END")>;

} // namespace libpool
