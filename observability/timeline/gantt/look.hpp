/// Sizes and colours of the picture.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace libpool::detail {

/// Unit of all lengths in the picture.
using pixels = double;

constexpr pixels page_width = 1200;
constexpr pixels margin = 24;
constexpr pixels share_width = 44; // column of shares at the right of the lanes
constexpr pixels line_height = 20;
constexpr pixels area_height = 56;
constexpr pixels small_font = 11;

/// Number of columns in which shares of time are drawn.
constexpr std::size_t fine_columns = 1000;
constexpr std::size_t coarse_columns = 250;

/// Colours of Okabe and Ito, which colour-blind people can distinguish.
/// Neighbours differ clearly. The last colour is for all flows without a colour
/// of their own.
constexpr std::array<std::string_view, 8> palette{
  "#56b4e9", "#e69f00", "#009e73", "#cc79a7",
  "#f0e442", "#0072b2", "#d55e00", "#a5a5a5"};

constexpr std::size_t named_colours = palette.size() - 1;
constexpr std::size_t dark_colour = 5;

/// Returns the style class of a colour of the palette.
std::string look_of(std::size_t colour);

/// Returns the length as a text, rounded to a hundredth; never negative.
std::string text_of(pixels length);

/// Returns the approximate width of the text. The exact width depends on the
/// font of the viewer.
pixels text_width(std::string_view text, pixels font);

/// Returns the text, shortened to at most `most` characters.
std::string shortened(std::string_view text, std::size_t most);

} // namespace libpool::detail
