#pragma once

#include <string>
#include <string_view>

namespace libpool::live {

/// Returns a page of HTML: docs/operations/slow_pools.md, which says why pools
/// are slow, and what to do. Each section has an anchor: `finding::cure` names
/// it.
const std::string& guide_page();

/// Returns such a page for Markdown of the manual: headings,
/// paragraphs and lists. Pictures are left out, of links their text is kept.
std::string page_of(std::string_view markdown);

} // namespace libpool::live
