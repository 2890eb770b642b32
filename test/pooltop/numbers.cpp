#include "pooltop/numbers.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace pooltop;

TEST_CASE("counts from 10000 on have three digits and a suffix") {
  CHECK(count_text({}) == "-");
  CHECK(count_text(9999.7) == "10.0k");
  CHECK(count_text(999499) == "999k");
  CHECK(count_text(999500) == "1.00M");
  CHECK(count_text(1e15) == "1000T");
  CHECK(count_text(-45210) == "-45.2k");
}

TEST_CASE("rates below 10 per second have one decimal") {
  CHECK(rate_text(0.4) == "0.4/s");
  CHECK(rate_text(9.94) == "9.9/s");
  CHECK(rate_text(9.96) == "10/s");
}

TEST_CASE("times have the unit that makes them short") {
  CHECK(time_text(0.000996) == "1.0 ms");
  CHECK(time_text(0.00996) == "10 ms");
  CHECK(time_text(0.9994) == "999 ms");
  CHECK(time_text(0.9996) == "1.0 s");
  CHECK(time_text(119) == "119 s");
  CHECK(time_text(120) == "2 min");
  CHECK(time_text(7200) == "2 h");
  CHECK(time_text(172800) == "2 d");
  CHECK(time_text(-0.0125) == "-12 ms");
  CHECK(time_text(-90) == "-90 s");
  CHECK(milliseconds_text(1500) == "1.5 s");
}

TEST_CASE("small shares are not shown as 0") {
  CHECK(percent_text(0.0001) == "<0.1 %");
  CHECK(percent_text(0.001) == "0.1 %");
  CHECK(percent_text(0.0996) == "10 %");
}

TEST_CASE("the largest numbers can be shown") {
  const auto largest = std::numeric_limits<double>::max();
  for (const auto& text :
       {count_text(largest), rate_text(-largest), time_text(largest),
        milliseconds_text(-largest), percent_text(largest / 1000)})
    CHECK(text.size() > 100);
}

TEST_CASE("the share of failures covers the recent time window, or all time if "
          "no task ended in this window") {
  pool of;
  CHECK_FALSE(failed_share(of));
  of.numbers["completed"] = 30;
  of.numbers["failed"] = 10;
  CHECK(failed_share(of) == 0.25);
  of.numbers["window.completed_per_s"] = 9;
  of.numbers["window.failed_per_s"] = 1;
  CHECK(failed_share(of) == 0.1);
  of.numbers["window.completed_per_s"] = 0;
  of.numbers["window.failed_per_s"] = 0;
  CHECK(failed_share(of) == 0.25);
}

TEST_CASE("the share of error answers is one of the tasks that were completed "
          "in the recent time window, if the pool sees answers") {
  pool of;
  of.numbers["window.completed_per_s"] = 50;
  CHECK_FALSE(error_answer_share(of));
  of.numbers["window.error_answers_per_s"] = 39;
  CHECK(error_answer_share(of) == 0.78);
  of.numbers["window.error_answers_per_s"] = 50.1;
  CHECK(error_answer_share(of) == 1);
  of.numbers["window.completed_per_s"] = 0;
  CHECK_FALSE(error_answer_share(of));
}
