#pragma once

#include <string>

namespace libpool::live {

/// page.html, whose script and styles carry this number, which no page of
/// somebody else can know.
std::string page_with(const std::string& nonce);

/// Drawn for each page.
std::string draw_nonce();

} // namespace libpool::live
