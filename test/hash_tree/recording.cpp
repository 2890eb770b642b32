#include "hash_tree/recording.hpp"

#include <doctest/doctest.h>

using hash_tree::folders;

TEST_CASE("a named path groups files by the folders directly below it") {
  const folders f{{"d", "x/y/", "/"}};
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("d/a/b") == "d/a");
  CHECK(f.of("d/a/b/c") == "d/a");
  CHECK(f.of("x/y/a/b/c") == "x/y/a");
  CHECK(f.of("x/y/a") == "x/y");
  CHECK(f.of("/a") == "/");
  CHECK(f.of("/a/b/c") == "/a");
}

TEST_CASE("the upper one of two nested paths determines the folder of a file") {
  CHECK(folders{{"d/a", "d"}}.of("d/a/b/c") == "d/a");
  CHECK(folders{{"d", "d/a/b"}}.of("d/a/b/c/e") == "d/a");
}

TEST_CASE("a file that was named belongs to the folder that contains it") {
  const folders f{{"a", "d/a", "/a"}};
  CHECK(f.of("a") == ".");
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("/a") == "/");
}
