#pragma once

#include <iosfwd>

namespace poolsim {

/// Writes the options of all orders, placements and stealings of the catalogue,
/// as a table in Markdown.
void write_option_table(std::ostream& out);

} // namespace poolsim
