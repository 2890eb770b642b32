#pragma once

#include "libpool/remote/network.hpp"

#include <caf/error.hpp>

namespace libpool {

/// Why a node must not use TLS with these files: `errc::insecure`, with what is
/// missing, or cannot be read. CAF would do without certificates if no file is
/// named, and end the process if one does not fit.
caf::error objection_to(const tls_files& files);

} // namespace libpool
