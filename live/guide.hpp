#pragma once

#include <string>
#include <string_view>

namespace libpool::live {

/// Returns a page of HTML with the chapter of the guide that says why pools are
/// slow, and what to do. Each section has an anchor: `finding::cure` names it.
const std::string& guide_page();

/// Returns that page for a chapter in the Markdown of the guide: headings,
/// paragraphs and lists. Pictures are left out, of links their text is kept.
std::string page_of_chapter(std::string_view markdown);

} // namespace libpool::live
