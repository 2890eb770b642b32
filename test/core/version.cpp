/// The version of the library.

#include "libpool/version.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("the version text agrees with the version numbers") {
  CHECK(libpool::version
        == std::to_string(LIBPOOL_VERSION_MAJOR) + "."
             + std::to_string(LIBPOOL_VERSION_MINOR) + "."
             + std::to_string(LIBPOOL_VERSION_PATCH));
}

TEST_CASE("the combined version number is composed of the three parts") {
  CHECK(libpool::version_number
        == LIBPOOL_VERSION_MAJOR * 10'000 + LIBPOOL_VERSION_MINOR * 100
             + LIBPOOL_VERSION_PATCH);
}
