#include "libpool/nodes/protocol/byte_credit.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

namespace nodes_byte_credit_tests {

using libpool::byte_credit;
using libpool::byte_receipts;

TEST_CASE("the credit limits the bytes in flight that are not confirmed") {
  byte_credit credit{100};
  credit.sent(60);
  CHECK(credit.allows(40));
  CHECK(!credit.allows(41));
  credit.sent(40);
  CHECK(!credit.allows(1));
  credit.confirmed(30);
  CHECK(credit.under_way() == 70);
  CHECK(credit.allows(30));
  CHECK(!credit.allows(31));
}

TEST_CASE("a message of any size may be sent if at most half of the credit is "
          "in flight") {
  byte_credit credit{100};
  credit.sent(50);
  CHECK(credit.allows(1'000'000));
  credit.sent(1);
  CHECK(!credit.allows(1'000'000));
  CHECK(credit.allows(49));
}

TEST_CASE("the whole size of a large message counts as in flight") {
  byte_credit credit{100};
  credit.sent(1000);
  CHECK(credit.under_way() == 1000);
  CHECK(!credit.allows(0));
  credit.confirmed(900);
  CHECK(credit.allows(0));
  CHECK(!credit.allows(1));
}

TEST_CASE("a confirmation of fewer bytes than before, or of more bytes than "
          "were sent, is harmless") {
  byte_credit credit{100};
  credit.sent(80);
  credit.confirmed(50);
  credit.confirmed(20);
  CHECK(credit.under_way() == 30);
  credit.confirmed(1000);
  CHECK(credit.under_way() == 0);
  credit.sent(10);
  CHECK(credit.under_way() == 10);
}

TEST_CASE(
  "the total of received bytes is confirmed after each quarter of the credit") {
  byte_receipts receipts{100};
  CHECK(receipts.received(24) == std::nullopt);
  CHECK(receipts.received(1) == std::uint64_t{25});
  CHECK(receipts.received(24) == std::nullopt);
  CHECK(receipts.received(40) == std::uint64_t{89});
  byte_receipts of_nothing{3}; // a quarter of which is none
  CHECK(of_nothing.received(0) == std::nullopt);
  CHECK(of_nothing.received(1) == std::uint64_t{1});
}

} // namespace nodes_byte_credit_tests
