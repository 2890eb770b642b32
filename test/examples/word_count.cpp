/// The parts of the example that counts words.

#include "word_count/chunks.hpp"
#include "word_count/files.hpp"
#include "word_count/progress.hpp"
#include "word_count/source.hpp"
#include "word_count/table.hpp"
#include "word_count/tally.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

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

std::vector<byte_range> ranges(std::uint64_t size, std::uint64_t chunk) {
  std::vector<byte_range> out;
  cutter cut{size, chunk};
  while (const auto range = cut.next())
    out.push_back(*range);
  return out;
}

word_counts counted(const std::string& text, byte_range range) {
  return count_range(reader_of(text), range).words;
}

/// The files that a walk finds, sorted, without the folder; a failure behind an
/// exclamation mark.
std::vector<std::string> found_in(const scratch_folder& folder,
                                  const std::string& path) {
  std::vector<std::string> out;
  walk files{folder / path};
  while (const auto item = files.next())
    out.push_back((item->why_not.empty() ? "" : "!")
                  + item->path.substr((folder / "").size()));
  std::sort(out.begin(), out.end());
  return out;
}

using names = std::vector<std::string>;

const std::string odd_text = "The cat's 2 cats; THE cat\n\xc3\xa9t\xc3\xa9 x9 "
                             "9x-\tend";

} // namespace

TEST_CASE("words are runs of ASCII letters and digits, in lower case") {
  CHECK(counted(odd_text, {0, odd_text.size()})
        == word_counts{{"the", 2},
                       {"cat", 2},
                       {"s", 1},
                       {"2", 1},
                       {"cats", 1},
                       {"t", 1},
                       {"x9", 1},
                       {"9x", 1},
                       {"end", 1}});
}

TEST_CASE("a word is counted in the chunk in which the word starts") {
  const std::string text{"one two three"};
  CHECK(counted(text, {0, 1}) == word_counts{{"one", 1}});
  CHECK(counted(text, {1, 4}).empty());
  CHECK(counted(text, {1, 5}) == word_counts{{"two", 1}});
  CHECK(counted(text, {5, 13}) == word_counts{{"three", 1}});
  CHECK(counted(text, {8, 9}) == word_counts{{"three", 1}});
  CHECK(counted(text, {9, 13}).empty());
}

TEST_CASE("the byte count of a chunk includes only bytes within the text") {
  const std::string text{"one two"};
  CHECK(count_range(reader_of(text), {0, 5}).bytes == 5);
  CHECK(count_range(reader_of(text), {5, 100}).bytes == 2);
  CHECK(count_range(reader_of(text), {50, 100}).bytes == 0);
}

TEST_CASE("a text is divided into chunks without gaps, and only the last chunk "
          "may be shorter than the others") {
  CHECK(ranges(0, 4).empty());
  CHECK(ranges(4, 4) == std::vector<byte_range>{{0, 4}});
  CHECK(ranges(9, 4) == std::vector<byte_range>{{0, 4}, {4, 8}, {8, 9}});
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(ranges(3, most) == std::vector<byte_range>{{0, 3}});
  CHECK(ranges(most, most - 1)
        == std::vector<byte_range>{{0, most - 1}, {most - 1, most}});
}

TEST_CASE("chunks of 1 to 20 bytes give the word counts of the whole text") {
  for (std::uint64_t chunk = 1; chunk <= 20; ++chunk) {
    CAPTURE(chunk);
    CHECK(counted_in_chunks(odd_text, chunk) == simply_counted(odd_text));
  }
}

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
  CHECK(counted(word, {0, 1}) == word_counts{{word, 1}});
}

TEST_CASE("word counts can be merged into a smaller set of word counts, and "
          "into a larger set") {
  const word_counts some{{"a", 1}, {"b", 2}};
  const word_counts more{{"b", 3}, {"c", 4}, {"d", 5}};
  const word_counts all{{"a", 1}, {"b", 5}, {"c", 4}, {"d", 5}};
  auto into = some;
  merge(into, word_counts{more});
  CHECK(into == all);
  into = more;
  merge(into, word_counts{some});
  CHECK(into == all);
  merge(into, {});
  CHECK(total(into) == 15);
}

TEST_CASE("a table lists the words in order, or only the most frequent words") {
  const word_counts counts{{"b", 2}, {"a10", 1}, {"a", 12}, {"9", 2}};
  CHECK(text_of(by_word(counts))
        == "      2 9\n     12 a\n      1 a10\n      2 b\n");
  CHECK(text_of(by_frequency(counts, 3))
        == "     12 a\n      2 9\n      2 b\n");
  CHECK(by_frequency(counts, 100).size() == 4);
  CHECK(text_of(by_frequency({}, 1)).empty());
}

TEST_CASE("a number that is wider than its column shifts the word beside it to "
          "the right") {
  CHECK(text_of(by_word({{"a", 12'345'678}})) == "12345678 a\n");
}

TEST_CASE(
  "the search of a folder finds all files below it, and skips symbolic links") {
  const scratch_folder folder;
  for (const auto* name : {"t/a", "t/b/c/d", "t/b/e", "t/new\nline", "u"})
    folder.file(name);
  folder.link("t/link", "a");
  folder.link("folder_link", "t");
  CHECK(found_in(folder, "t")
        == names{"t/a", "t/b/c/d", "t/b/e", "t/new\nline"});
  CHECK(found_in(folder, "t/link") == names{"t/link"});
  CHECK(found_in(folder, "folder_link").size() == 4);
  CHECK(found_in(folder, "none") == names{"!none"});
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

TEST_CASE("only regular files can be read") {
  const scratch_folder folder;
  CHECK_THROWS_WITH(input_file{folder / ""}, "not a regular file");
  CHECK_THROWS_WITH(input_file{"/dev/null"}, "not a regular file");
  CHECK_THROWS_WITH(input_file{folder / "none"}, "No such file or directory");
}

TEST_CASE("all batches of chunks are full except the last batch") {
  const scratch_folder folder;
  folder.file("t/a", "12345");
  folder.file("t/b", "123");
  folder.file("t/empty.bin", std::string(9, '\0'));
  tally seen;
  source from{folder / "t", 2, 3, seen}; // 3 chunks and 2
  std::vector<std::size_t> sizes;
  while (const auto some = from.next())
    sizes.push_back(some->size());
  CHECK(sizes == std::vector<std::size_t>{3, 2});
  CHECK(seen.files == 2);
  CHECK(seen.failures().empty());
}

TEST_CASE("the progress line is at most as wide as the terminal") {
  tally at;
  CHECK(render(at, 0, 80) == "0 files  0 B  0 words");
  at.files = 12;
  at.bytes = 3 * 1024 * 1024;
  at.words = 5'000'000;
  CHECK(render(at, 2, 80) == "12 files  3.0 MiB  1.5 MiB/s  5000000 words");
  CHECK(render(at, 2, 8) == "12 files");
}
