#pragma once

#include <iosfwd>

namespace poolsim {

/// Writes a table in Markdown with the options of all orders, placements and
/// stealings of the catalogue.
void write_option_table(std::ostream& out);

} // namespace poolsim
