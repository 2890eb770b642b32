#pragma once

#include "pooltop/history.hpp"
#include "pooltop/layout.hpp"
#include "pooltop/model.hpp"

#include <cstddef>
#include <string>

namespace test {

/// A file of this folder.
std::string text_in(const std::string& name);

/// What a server tells about two pools, one of which has much to do, and about
/// a pipeline.
std::string busy_pools();

/// A screen that was told of them so many times, once a second.
pooltop::view view_of_busy_pools(std::size_t times = 3);

/// The lines, each with a line break behind it.
std::string text_of(const std::vector<pooltop::line>& lines);

} // namespace test
