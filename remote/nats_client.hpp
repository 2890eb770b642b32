#pragma once

#include "libpool/remote/nats_options.hpp"

#include <nats/nats.h>

#include <memory>
#include <string>

namespace libpool {

/// Destroys an object of the C client of NATS.
template <auto Destroy>
struct destroyer {
  template <class T>
  void operator()(T* x) const noexcept {
    Destroy(x);
  }
};

using options_owner =
  std::unique_ptr<natsOptions, destroyer<natsOptions_Destroy>>;
using connection_ptr = std::shared_ptr<natsConnection>;

/// Returns a text for `status`, which the last call of the NATS library in this
/// thread has returned, with the details of the error.
std::string text_of(natsStatus status);

/// Returns options for connections that the NATS library renews whenever they
/// are lost. Reads the files of certificates.
///
/// Errors: std::runtime_error if the options or files cannot be used.
options_owner options_for(const nats_options& by);

} // namespace libpool
