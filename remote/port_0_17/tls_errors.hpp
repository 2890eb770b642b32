#pragma once

namespace libpool {

/// From now on OpenSSL's errors of one connection do no harm to others that the
/// same thread serves.
///
/// Where a connection fails, CAF leaves OpenSSL's errors in the list that
/// OpenSSL keeps for each thread. When the next connection has no more bytes
/// for now, `SSL_get_error` finds them there, and CAF takes that connection for
/// failed.
void isolate_tls_errors();

} // namespace libpool
