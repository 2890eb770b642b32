#include "hash_tree/walk.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <random>

namespace hash_tree_walk_tests {

using namespace hash_tree;

namespace {

using names = std::vector<std::string>;

struct fixture {
  scratch_folder folder;

  /// The paths that a walk finds, without the folder they are in; a failure
  /// behind an exclamation mark.
  names found_in(const names& paths, bool follow = false) {
    names full;
    for (const auto& path : paths)
      full.push_back(folder / path);
    walk files{full, follow};
    names out;
    while (auto item = files.next())
      out.push_back((item->is == found::kind::failed ? "!" : "")
                    + item->path.substr((folder / "").size()));
    return out;
  }
};

} // namespace

TEST_CASE_FIXTURE(
  fixture, "the search of a random tree finds all files, in sorted order") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 draw{seed};
    const auto top = "t" + std::to_string(seed);
    names expected;
    for (int i = 0; i < 40; ++i) {
      auto path = top;
      for (auto depth = 1 + draw() % 4; depth > 0; --depth)
        path += std::string{"/"} + "ab-0"[draw() % 4] + "x.-0"[draw() % 4];
      path += "/~"; // a file's name that is no folder's
      if (std::find(expected.begin(), expected.end(), path) == expected.end())
        expected.push_back(path);
      folder.file(path);
    }
    std::sort(expected.begin(), expected.end());
    CHECK(found_in({top}) == expected);
  }
}

TEST_CASE_FIXTURE(fixture,
                  "the files below several given paths are sorted together") {
  for (const auto* name : {"d/x", "d.txt", "d/e/y", "c"})
    folder.file(name);
  CHECK(found_in({"d", "d.txt", "c"}) == names{"c", "d.txt", "d/e/y", "d/x"});
}

TEST_CASE_FIXTURE(
  fixture,
  "two spellings of a path count as two paths unless links are followed") {
  folder.file("d/x");
  CHECK(found_in({"d", "d/."}) == names{"d/./x", "d/x"});
  CHECK(found_in({"d", "d/."}, true).size() == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "a walk that follows links finds each file exactly once") {
  folder.file("d/m");
  folder.file("out/o");
  folder.link("d/a", "m");      // before the file itself
  folder.link("d/z", "m");      // after it
  folder.link("d/b", "../out"); // a folder elsewhere, twice
  folder.link("d/c", "../out");
  folder.link("d/o", "../out/o");
  CHECK(found_in({"d"}, true) == names{"d/a", "d/b/o"});
  folder.file("e/p/x");
  folder.link("e/p/up", "..");
  CHECK(found_in({"e"}, true) == names{"e/p/x"});
  folder.file("f/x");
  folder.link("f/loop", "loop");
  folder.link("f/none", "nowhere");
  CHECK(found_in({"f"}, true) == names{"!f/loop", "!f/none", "f/x"});
}

TEST_CASE_FIXTURE(fixture, "hard links count as separate files") {
  folder.file("d/x");
  std::filesystem::create_hard_link(folder / "d/x", folder / "d/y");
  folder.link("d/z", "y");
  CHECK(found_in({"d"}, true) == names{"d/x", "d/y"});
}

TEST_CASE_FIXTURE(fixture,
                  "a folder that vanishes during the walk is a failure") {
  folder.file("d/a");
  folder.file("d/b");
  folder.file("d/e/x");
  walk files{{folder / "d"}, false};
  REQUIRE(files.next());
  std::filesystem::remove_all(folder / "d/e");
  REQUIRE(files.next());
  const auto item = files.next();
  REQUIRE(item);
  CHECK(item->is == found::kind::failed);
  CHECK(item->error == ENOENT);
  CHECK_FALSE(files.next());
}

} // namespace hash_tree_walk_tests
