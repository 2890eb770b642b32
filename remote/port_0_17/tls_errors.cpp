#include "libpool/remote/port/tls_errors.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>

namespace libpool {

namespace {

long forget_errors(BIO*, int operation, const char*, std::size_t, int, long,
                   int result, std::size_t*) {
  if (operation == BIO_CB_READ || operation == BIO_CB_WRITE)
    ERR_clear_error();
  return result;
}

/// Called for each BIO that is made; CAF offers no way to those of its sockets.
void bio_made(void* bio, void*, CRYPTO_EX_DATA*, int, long, void*) {
  auto* made = static_cast<BIO*>(bio);
  if (BIO_method_type(made) == BIO_TYPE_SOCKET)
    BIO_set_callback_ex(made, forget_errors);
}

} // namespace

void isolate_tls_errors() {
  static const auto index = BIO_get_ex_new_index(0, nullptr, bio_made, nullptr,
                                                 nullptr);
  static_cast<void>(index);
}

} // namespace libpool
