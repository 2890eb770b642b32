#include "libpool/core/error_answers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

using libpool::error_answers;
using libpool::flow_key;

namespace {

void note(error_answers& in, std::uint64_t error, const flow_key& flow = {},
          const std::string* kind = nullptr) {
  in.note(error, flow, kind, [=] { return "e" + std::to_string(error); });
}

} // namespace

TEST_CASE("error answers are counted by error, flow and kind, and the row with "
          "the largest count comes first") {
  error_answers all;
  CHECK(all.rows().empty());
  const std::string job = "job";
  const std::string unknown;
  note(all, 1, "a");
  note(all, 1, "b");
  note(all, 2, "b");
  note(all, 1, "b", &job);
  note(all, 1, "b", &unknown); // the same as no kind
  CHECK(all.count() == 5);
  auto rows = all.rows();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].name == "e1");
  CHECK(rows[0].flow == "b");
  CHECK(rows[0].kind.empty());
  CHECK(rows[0].count == 2);
  CHECK(rows[1].flow == "a");
  CHECK(rows[2].kind == "job");
  CHECK(rows[3].name == "e2");
}

TEST_CASE("if there are too many combinations of error, flow and kind, the one "
          "that was counted longest ago loses its row, and no count is lost") {
  error_answers all;
  for (std::uint64_t i = 0; i < error_answers::most_rows; ++i)
    note(all, i);
  note(all, 0); // the oldest one is number 1 now
  note(all, 1'000);
  auto rows = all.rows();
  CHECK(rows.size() == error_answers::most_rows);
  CHECK(rows[0].name == "e0");
  CHECK(rows[0].count == 2);
  auto has = [&](const std::string& error) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& each) { return each.name == error; });
  };
  CHECK(has("e1000"));
  CHECK_FALSE(has("e1"));
  CHECK(has("e2"));
  CHECK(all.count() == error_answers::most_rows + 2);
}
