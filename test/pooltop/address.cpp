#include "pooltop/address.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using pooltop::read_address;

TEST_CASE("an address is a host, and may have a scheme, a port and a path") {
  auto of = read_address("localhost");
  CHECK(of.host == "localhost");
  CHECK(of.path.empty());
  CHECK_FALSE(of.is_secure);
  CHECK(of.text() == "http://localhost");
  of = read_address("https://pools.example:8443/libpool/");
  CHECK(of.is_secure);
  CHECK(of.port == 8443);
  CHECK(of.path == "/libpool");
  CHECK(of.authority() == "pools.example:8443");
  CHECK(read_address("https://x").port == 443);
  CHECK(read_address("http://x/").port == 80);
  of = read_address("http://[fe80::1]:8080");
  CHECK(of.host == "fe80::1");
  CHECK(of.authority() == "[fe80::1]:8080");
}

TEST_CASE("the error about a text that is not an address quotes the text") {
  for (const char* text :
       {"", "http://", "ftp://x", "x:0", "x:65536", "x:123456", "x y", "x/a b",
        "http://user@x", "x?y", "x/y?z", "x\r\ny", "::1", "x/\xff"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_address(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(read_address("\x1b"),
                    "'\\x1b' is not an address such as http://127.0.0.1:8080");
}
