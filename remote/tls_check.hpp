#pragma once

#include "libpool/remote/network.hpp"

#include <caf/error.hpp>

namespace libpool {

/// Returns why a node must not use TLS with these files: `errc::insecure`, with
/// what is missing or unreadable. CAF would work without certificates if no
/// file is set, and would end the process if a file is unusable.
caf::error objection_to(const tls_files& files);

} // namespace libpool
