#include "hash_tree/recording.hpp"

#include <doctest/doctest.h>

using hash_tree::folders;

TEST_CASE(
  "files below a given path are grouped by the direct subfolders of the path") {
  const folders f{{"d", "x/y/", "/"}};
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("d/a/b") == "d/a");
  CHECK(f.of("d/a/b/c") == "d/a");
  CHECK(f.of("x/y/a/b/c") == "x/y/a");
  CHECK(f.of("x/y/a") == "x/y");
  CHECK(f.of("/a") == "/");
  CHECK(f.of("/a/b/c") == "/a");
}

TEST_CASE(
  "if one given path contains another, the outer path determines the groups") {
  CHECK(folders{{"d/a", "d"}}.of("d/a/b/c") == "d/a");
  CHECK(folders{{"d", "d/a/b"}}.of("d/a/b/c/e") == "d/a");
}

TEST_CASE(
  "a given path that is a file belongs to the group of its parent folder") {
  const folders f{{"a", "d/a", "/a"}};
  CHECK(f.of("a") == ".");
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("/a") == "/");
}
