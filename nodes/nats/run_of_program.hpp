#pragma once

#include <cstdint>
#include <string>

namespace libpool {

/// Returns a random number that identifies one run of a program.
std::uint64_t draw_run();

/// Returns the name of this machine.
std::string name_of_host();

} // namespace libpool
