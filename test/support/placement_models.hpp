#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/policies/placement/estimate_options.hpp"

#include <memory>
#include <string_view>

namespace test {

/// The rules of the placement of that name, followed to the letter and without
/// a thought of speed: estimates are computed anew from all samples, and
/// workers are looked at one by one. It chooses as the placement must.
///
/// There are models of least_busy and fair_share; nullptr for others.
std::unique_ptr<libpool::placement>
model_of(std::string_view name, const libpool::estimate_options& options);

} // namespace test
