#pragma once

#include "libpool/core/throttle.hpp"

#include <map>
#include <string>

namespace gateway {

/// Client of the gateway, known by its key.
struct tenant {
  std::string name;
  /// Share of the workers' time, relative to the other tenants; above 0.
  double share = 1;
  libpool::throttle limits;
};

/// Content of the tenants file.
struct tenants {
  /// Limits for all tenants together.
  libpool::throttle all;
  std::map<std::string, tenant> by_key;

  /// Returns the limits for the pool.
  libpool::throttles throttles() const;

  /// Returns the shares for the pool, by the name of the tenant.
  std::map<std::string, double> shares() const;
};

/// Reads a tenants file, which is JSON:
///
///     {"all": {"per_second": 200, "burst": 20, "most_running": 32},
///      "tenants": [{"name": "acme", "key": "k1", "share": 2,
///                   "per_second": 50, "burst": 10, "most_running": 8}]}
///
/// Only "tenants", "name" and "key" are required.
///
/// Errors: std::runtime_error names the file, and the line or the field.
tenants read_tenants(const std::string& path);

} // namespace gateway
