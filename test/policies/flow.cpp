#include "libpool/core/flow.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

using libpool::flow_key;
using libpool::fnv_1a;

// From the authors' list of test vectors; the last one is one step of the
// definition.
TEST_CASE("names of flows are hashed with FNV-1a, as unsigned bytes") {
  static_assert(fnv_1a("") == 0xcbf29ce484222325);
  CHECK(fnv_1a("a") == 0xaf63dc4c8601ec8c);
  CHECK(fnv_1a("foobar") == 0x85944171f73967e8);
  CHECK(fnv_1a("\xff") == (0xcbf29ce484222325 ^ 0xff) * 0x100000001b3);
}

TEST_CASE("equal names give the same flow, no name is the empty name, and "
          "equal numbers give one flow that differs from that of their text") {
  auto hash = fnv_1a("tenant");
  CHECK(flow_key{"tenant"}.hash() == hash);
  CHECK(flow_key{std::string{"tenant"}}.hash() == hash);
  CHECK(flow_key{std::string_view{"tenant"}}.hash() == hash);
  CHECK(flow_key{"tenant"}.name() == "tenant");
  CHECK(flow_key{}.hash() == flow_key{""}.hash());
  CHECK(flow_key{}.name().empty());
  CHECK(flow_key{7}.hash() == flow_key{std::uint64_t{7}}.hash());
  CHECK(flow_key{7}.hash() != flow_key{"7"}.hash());
  CHECK(flow_key{7}.name() == "7");
  CHECK(flow_key{-1}.name() == "-1");
}

TEST_CASE("different numbers are different flows, and similar numbers have "
          "distant hashes") {
  std::set<std::uint64_t> all;
  std::set<std::uint64_t> top_bytes;
  for (auto i = 0; i < 10000; ++i) {
    all.insert(flow_key{i}.hash());
    top_bytes.insert(flow_key{i}.hash() >> 56U);
  }
  CHECK(all.size() == 10000);
  // Each of 256 values is missed with a chance of (255/256)^10000 = 10^-17.
  CHECK(top_bytes.size() == 256);
}
