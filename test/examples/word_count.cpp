/// The parts of the example that counts words, where its end-to-end test does
/// not see them.

#include "word_count/chunks.hpp"
#include "word_count/files.hpp"
#include "word_count/table.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

using namespace word_count;

namespace {

/// At most `at_once` bytes each time.
reader reader_of(const std::string& text, std::size_t at_once = 1'000'000) {
  return [&text, at_once](std::uint64_t offset, char* to, std::size_t size) {
    const auto at = std::min<std::size_t>(offset, text.size());
    return text.copy(to, std::min(size, at_once), at);
  };
}

/// The plain way to do it: byte by byte, all at once.
word_counts simply_counted(const std::string& text) {
  word_counts out;
  std::string word;
  for (const auto byte : text + ' ') {
    const auto x = static_cast<unsigned char>(byte);
    if (x < 128 && std::isalnum(x) != 0)
      word += static_cast<char>(std::tolower(x));
    else if (!word.empty())
      ++out[std::exchange(word, {})];
  }
  return out;
}

word_counts counted_in_chunks(const std::string& text, std::uint64_t chunk,
                              std::size_t at_once = 1'000'000) {
  word_counts out;
  cutter cut{text.size(), chunk};
  while (const auto range = cut.next())
    merge(out, count_range(reader_of(text, at_once), *range).words);
  return out;
}

} // namespace

TEST_CASE("chunks of any size give the word counts of the whole text, for "
          "random texts") {
  // Few kinds of bytes, so that words are long and are cut at every place.
  const auto bytes = rc::gen::elementOf(std::string{"abAB19 .\n\xe9"} + '\0');
  CHECK(rc::check([&] {
    const auto text = *rc::gen::container<std::string>(bytes);
    const auto chunk = *rc::gen::inRange<std::uint64_t>(1, 40);
    const auto at_once = *rc::gen::inRange<std::size_t>(1, 10);
    RC_ASSERT(counted_in_chunks(text, chunk, at_once) == simply_counted(text));
  }));
}

TEST_CASE("a word that is longer than one read from the file, or that ends "
          "with the text, is counted once") {
  std::string word;
  word.resize(10'000'000, 'a');
  const auto text = "b " + word;
  CHECK(counted_in_chunks(text, 700'000) == word_counts{{"b", 1}, {word, 1}});
}

TEST_CASE("a file with a NUL byte in its first 32768 bytes is not a text") {
  const scratch_folder folder;
  const auto text = [&](const std::string& content) {
    folder.file("file", content);
    return is_text(input_file{folder / "file"});
  };
  CHECK(text(""));
  CHECK(text("\xff"));
  CHECK(!text(std::string(1, '\0')));
  CHECK(!text(std::string(32'767, 'x') + '\0'));
  CHECK(text(std::string(32'768, 'x') + '\0'));
}

TEST_CASE("a number that is wider than its column shifts the word beside it to "
          "the right") {
  CHECK(text_of(by_word({{"a", 12'345'678}})) == "12345678 a\n");
}
