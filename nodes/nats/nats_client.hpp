#pragma once

#include "libpool/nodes/nats_options.hpp"

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
using subscription_owner =
  std::unique_ptr<natsSubscription, destroyer<natsSubscription_Destroy>>;

/// Returns a text for `status`, which the last call of the NATS library in this
/// thread has returned, with the details of the error.
std::string text_of(natsStatus status);

/// Returns options for connections that the NATS library renews whenever they
/// are lost. Reads the files of certificates.
///
/// Errors: std::runtime_error if the options or files cannot be used.
options_owner options_for(const nats_options& options);

/// Options for connections of a program that runs for longer than its
/// certificates are valid. A connection that the NATS library renews keeps the
/// certificates with which it was made. A new connection can use the
/// certificates that the files contain when it is made.
///
/// Threads: one at a time.
class renewed_options {
public:
  /// Throws as `options_for`.
  explicit renewed_options(const nats_options& options);

  /// Returns the options, which are valid until `read_new_files`.
  natsOptions* get() const noexcept {
    return options_.get();
  }

  /// Whether the files have changed since they were read.
  bool are_outdated() const;

  /// Reads files that have changed. Files that do not fit together have no
  /// effect: some were not replaced yet, and will change again.
  void read_new_files();

private:
  const nats_options by_;
  std::string contents_; // of the files that were read last
  options_owner options_;
};

} // namespace libpool
