#include "hash_tree/recording.hpp"

#include <doctest/doctest.h>

using hash_tree::folders;

TEST_CASE("files are grouped by the direct subfolders of the outermost given "
          "path, and a given file by its parent folder") {
  const folders f{{"d", "x/y/", "/"}};
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("d/a/b/c") == "d/a");
  CHECK(f.of("x/y/a/b/c") == "x/y/a");
  CHECK(f.of("/a") == "/");
  CHECK(f.of("/a/b/c") == "/a");
  CHECK(folders{{"d/a", "d"}}.of("d/a/b/c") == "d/a");
  CHECK(folders{{"d", "d/a/b"}}.of("d/a/b/c/e") == "d/a");
  const folders files{{"a", "d/a", "/a"}};
  CHECK(files.of("a") == ".");
  CHECK(files.of("d/a") == "d");
  CHECK(files.of("/a") == "/");
}
