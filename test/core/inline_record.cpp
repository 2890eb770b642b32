#include "libpool/core/inline_record.hpp"

#include <doctest/doctest.h>

using libpool::inline_record;

namespace {

struct note {
  int number = 7;
  const char* text = "new";
};

} // namespace

TEST_CASE("a record has no value until one is emplaced") {
  inline_record<2> record;
  CHECK_FALSE(record.has_value());
}

TEST_CASE("a record returns its value, and lets the value be changed") {
  inline_record<2> record;
  CHECK(record.emplace<note>().number == 7);
  CHECK(record.has_value());
  record.as<note>().number = 8;
  CHECK(record.as<note>().number == 8);
}

TEST_CASE("a new value of a record replaces the previous value") {
  inline_record<2> record;
  record.emplace(note{1, "old"});
  record.emplace(2.5);
  CHECK(record.as<double>() == 2.5);
}

TEST_CASE("a record that is reset has no value") {
  inline_record<2> record;
  record.emplace<note>();
  record.reset();
  CHECK_FALSE(record.has_value());
}
