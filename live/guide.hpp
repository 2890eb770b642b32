#pragma once

#include <string>
#include <string_view>

namespace libpool::live {

/// Returns docs/operations/slow_pools.md as an HTML page. Each section has an
/// anchor that `finding::cure` names.
const std::string& guide_page();

/// Returns Markdown of the manual as an HTML page. Supports headings,
/// paragraphs and lists. Pictures are left out, and links are replaced by their
/// texts.
std::string page_of(std::string_view markdown);

} // namespace libpool::live
