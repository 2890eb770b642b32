#pragma once

#include "support/scratch_folder.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A browser without a window, of which only the page is seen that it has made.
class browser {
public:
  /// The page as the browser has it, once its script has run.
  /// @param width of the window, in pixels
  std::string page_at(const std::string& url, int width = 1000) const {
    return output_of("--window-size=" + std::to_string(width)
                     + ",900 --dump-dom '" + url + "'");
  }

  /// The text in the element of that id, without elements inside.
  static std::string text_of(const std::string& page, const std::string& id) {
    auto at = page.find(" id=\"" + id + '"');
    if (at == std::string::npos)
      return "no element " + id;
    auto tag = page.substr(page.rfind('<', at) + 1);
    auto name = tag.substr(0, tag.find(' '));
    auto begin = page.find('>', at) + 1;
    return without_tags(
      page.substr(begin, page.find("</" + name + ">", begin) - begin));
  }

  using row = std::vector<std::string>;

  /// The texts of a table's cells, row by row.
  static std::vector<row> rows_of(const std::string& page,
                                  const std::string& id) {
    std::vector<row> result;
    auto begin = page.find("<tbody>", page.find("<table id=\"" + id + '"'));
    auto table = page.substr(begin, page.find("</tbody>", begin) - begin);
    each_part(table, "<tr", "</tr>", [&](const std::string& line) {
      row cells;
      each_part(line, "<td", "</td>", [&](const std::string& cell) {
        cells.push_back(without_tags(cell.substr(cell.find('>') + 1)));
      });
      result.push_back(cells);
    });
    return result;
  }

private:
  template <class Use>
  static void each_part(const std::string& of, const std::string& from,
                        const std::string& to, Use use) {
    for (auto at = of.find(from); at != std::string::npos;) {
      auto end = of.find(to, at);
      use(of.substr(at, end - at));
      at = of.find(from, end);
    }
  }

  static std::string without_tags(const std::string& text) {
    std::string result;
    auto is_inside = false;
    for (auto each : text) {
      if (each == '<' && !result.empty() && result.back() != ' ')
        result += ' ';
      is_inside = each == '<' || (is_inside && each != '>');
      if (!is_inside && each != '>' && each != '\n')
        result += each;
    }
    while (!result.empty() && result.back() == ' ')
      result.pop_back();
    return result;
  }

  std::string output_of(const std::string& arguments) const {
    auto command = "timeout 300 " LIBPOOL_BROWSER
                   " --headless --no-sandbox --disable-gpu --disable-quic"
                   " --no-first-run --disable-background-networking"
                   " --disable-component-update"
                   " --virtual-time-budget=10000 --user-data-dir="
                   + (folder_ / "profile") + " " + arguments + " 2>/dev/null";
    auto* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
      throw std::runtime_error{"no browser"};
    std::string result;
    std::array<char, 4096> bytes{};
    while (auto n = std::fread(bytes.data(), 1, bytes.size(), pipe))
      result.append(bytes.data(), n);
    ::pclose(pipe);
    return result;
  }

  scratch_folder folder_;
};

} // namespace test
