/// The page in a browser, with a server that is made up.

#pragma once

#include "browser.hpp"
#include "libpool/observability/live/page.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace test {

inline std::string text_in(const std::string& file) {
  std::ifstream in{file};
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline std::string script_of(const std::string& text) {
  return "<script>" + text + "</script>\n";
}

inline std::string without_entities(std::string text) {
  for (const auto& [entity, letter] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&nbsp;", " "}, {"&amp;", "&"}})
    for (auto i = text.find(entity); i != std::string::npos;
         i = text.find(entity, i + 1))
      text.replace(i, std::string{entity}.size(), letter);
  return text;
}

/// What the script tells that runs after that of the page, by `test.tell`.
inline nlohmann::json told_by(const std::string& script, int width = 1000) {
  auto page = libpool::live::page_with("");
  page.insert(page.find("<script nonce"),
              script_of(text_in(LIBPOOL_MADE_UP_SERVER)));
  page.insert(page.find("</body>"), script_of('{' + script + '}'));
  const scratch_folder folder;
  const auto file = folder / "page.html";
  std::ofstream{file} << page;
  auto seen = browser{}.page_at("file://" + file, width);
  return nlohmann::json::parse(
    without_entities(browser::text_of(seen, "told")));
}

} // namespace test
