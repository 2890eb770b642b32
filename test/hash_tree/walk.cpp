#include "hash_tree/walk.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include <sys/stat.h>

namespace hash_tree_walk_tests {

using namespace hash_tree;

namespace {

using names = std::vector<std::string>;

struct fixture {
  scratch_folder folder;

  /// The paths that a walk finds, without the folder they are in; a failure
  /// behind an exclamation mark, a special file behind a question mark.
  names found_in(const names& paths, bool follow = false) {
    names full;
    for (const auto& path : paths)
      full.push_back(folder / path);
    walk files{full, follow};
    names out;
    while (auto item = files.next())
      out.push_back(mark(item->is) + item->path.substr((folder / "").size()));
    return out;
  }

  static std::string mark(found::kind kind) {
    switch (kind) {
      case found::kind::failed:
        return "!";
      case found::kind::special:
        return "?";
      default:
        return "";
    }
  }
};

} // namespace

TEST_CASE_FIXTURE(
  fixture,
  "paths are sorted by the bytes of the whole path, not folder by folder") {
  for (const auto* name : {"a.txt", "a0", "a-", "B", "a/b.c/d", "a/b.c.d",
                           "\xff", "\x01", "a b", "a/a"})
    folder.file(std::string{"t/"} + name);
  CHECK(found_in({"t"})
        == names{"t/\x01", "t/B", "t/a b", "t/a-", "t/a.txt", "t/a/a",
                 "t/a/b.c.d", "t/a/b.c/d", "t/a0", "t/\xff"});
}

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

TEST_CASE_FIXTURE(fixture,
                  "a path that was named several times is visited once") {
  for (const auto* name : {"d/e/y", "d/x"})
    folder.file(name);
  CHECK(found_in({"d", "d/e", "d/x", "d"}) == names{"d/e/y", "d/x"});
  CHECK(found_in({"d/", "d"}) == names{"d/e/y", "d/x"});
}

TEST_CASE_FIXTURE(
  fixture,
  "two spellings of a path count as two paths unless links are followed") {
  folder.file("d/x");
  CHECK(found_in({"d", "d/."}) == names{"d/./x", "d/x"});
  CHECK(found_in({"d", "d/."}, true).size() == 1);
}

TEST_CASE_FIXTURE(
  fixture, "links below a named path are left out, but named links are not") {
  folder.file("d/x");
  folder.link("d/file", "x");
  folder.link("d/up", "..");
  folder.link("d/broken", "nowhere");
  folder.link("l", "d");
  CHECK(found_in({"d"}) == names{"d/x"});
  CHECK(found_in({"l"}) == names{"l/x"});
  CHECK(found_in({"d/file"}) == names{"d/file"});
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
}

TEST_CASE_FIXTURE(
  fixture,
  "a walk that follows links to parent folders finds no additional files") {
  folder.file("d/e/x");
  folder.link("d/e/up", "..");
  folder.link("d/e/top", "../..");
  CHECK(found_in({"d"}, true) == names{"d/e/x"});
}

TEST_CASE_FIXTURE(
  fixture, "followed links to themselves and to missing files are failures") {
  folder.file("d/x");
  folder.link("d/loop", "loop");
  folder.link("d/ping", "pong");
  folder.link("d/pong", "ping");
  folder.link("d/none", "nowhere");
  CHECK(found_in({"d"}, true)
        == names{"!d/loop", "!d/none", "!d/ping", "!d/pong", "d/x"});
}

TEST_CASE_FIXTURE(fixture, "hard links count as separate files") {
  folder.file("d/x");
  std::filesystem::create_hard_link(folder / "d/x", folder / "d/y");
  folder.link("d/z", "y");
  CHECK(found_in({"d"}) == names{"d/x", "d/y"});
  CHECK(found_in({"d"}, true) == names{"d/x", "d/y"});
}

TEST_CASE_FIXTURE(
  fixture, "the search reports a path that does not exist as a failure") {
  const auto path = folder / "missing";
  walk files{{path}, false};
  const auto item = files.next();
  REQUIRE(item);
  CHECK(item->is == found::kind::failed);
  CHECK(item->error == ENOENT);
  CHECK(item->path == path);
  CHECK_FALSE(files.next());
}

TEST_CASE_FIXTURE(
  fixture,
  "special files are failures if they are named, and skipped otherwise") {
  folder.file("d/x");
  REQUIRE(::mkfifo((folder / "d/fifo").c_str(), 0600) == 0);
  CHECK(found_in({"d"}) == names{"d/x"});
  CHECK(found_in({"d/fifo"}) == names{"?d/fifo"});
}

TEST_CASE_FIXTURE(fixture, "an empty folder has no files") {
  std::filesystem::create_directories(folder / "d/a");
  CHECK(found_in({"d"}).empty());
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

TEST_CASE("the path of a file named - is written as ./-") {
  walk files{{"-"}, false};
  const auto item = files.next();
  REQUIRE(item);
  CHECK(item->path == "./-");
}

TEST_CASE("a walk without paths finds no files") {
  CHECK_FALSE(walk({}, false).next());
}

} // namespace hash_tree_walk_tests
