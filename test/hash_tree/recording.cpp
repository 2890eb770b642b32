#include "hash_tree/recording.hpp"

#include <doctest/doctest.h>

using hash_tree::folders;

TEST_CASE("a file belongs to the folder just below the path that was named") {
  const folders f{{"d", "x/y/", "/"}};
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("d/a/b") == "d/a");
  CHECK(f.of("d/a/b/c") == "d/a");
  CHECK(f.of("x/y/a/b/c") == "x/y/a");
  CHECK(f.of("x/y/a") == "x/y");
  CHECK(f.of("/a") == "/");
  CHECK(f.of("/a/b/c") == "/a");
}

TEST_CASE("a file below two nested paths belongs to the folder just below the "
          "upper one") {
  CHECK(folders{{"d/a", "d"}}.of("d/a/b/c") == "d/a");
  CHECK(folders{{"d", "d/a/b"}}.of("d/a/b/c/e") == "d/a");
}

TEST_CASE("a file that was named belongs to the folder that it is in") {
  const folders f{{"a", "d/a", "/a"}};
  CHECK(f.of("a") == ".");
  CHECK(f.of("d/a") == "d");
  CHECK(f.of("/a") == "/");
}
