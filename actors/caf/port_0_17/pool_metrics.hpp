#pragma once

#include "libpool/core/ledger.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace libpool {

/// Metrics of a managed pool in the metric registry of its actor system. CAF
/// 0.17 has no such registry, so this class does nothing.
class pool_metrics {
public:
  static std::unique_ptr<pool_metrics> make(caf::actor_system&, const char*) {
    return nullptr;
  }

  void show(const ledger&, std::size_t, std::uint64_t) noexcept {
    // nop
  }
};

} // namespace libpool
