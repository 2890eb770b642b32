#pragma once

#include <string>

namespace libpool::live {

/// Returns the page, made of the files in page/. Its script and styles carry
/// the nonce, which other pages cannot know.
std::string page_with(const std::string& nonce);

/// Returns docs/operations/slow_pools.md as a page, whose styles carry the
/// nonce. Each section has an anchor that `problem::cure` names.
std::string guide_with(const std::string& nonce);

/// Returns a random nonce for one page.
std::string draw_nonce();

} // namespace libpool::live
