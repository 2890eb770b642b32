/// The parts of the example of durable work that need no actors and no queue.

#include "durable/fate.hpp"
#include "durable/options.hpp"
#include "durable/results.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

using namespace durable;

namespace {

libpool::settled_task settled(libpool::outcome how, bool with_error) {
  libpool::settled_task out;
  out.how = how;
  out.answered_with_error = with_error;
  return out;
}

std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

std::size_t files_in(const std::string& folder) {
  std::filesystem::directory_iterator all{folder};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::variant<options, exit_code> parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "durable");
  return parse(static_cast<int>(words.size()), words.data());
}

work_options parsed_work(std::vector<const char*> words) {
  words.insert(words.begin(), "work");
  const auto all = std::get<options>(parsed(std::move(words)));
  return std::get<work_options>(all.command);
}

} // namespace

TEST_CASE("a job has succeeded if its task has completed without an error") {
  using libpool::outcome;
  CHECK(has_succeeded(settled(outcome::completed, false)));
  CHECK_FALSE(has_succeeded(settled(outcome::completed, true)));
  CHECK_FALSE(has_succeeded(settled(outcome::failed, false)));
  CHECK_FALSE(has_succeeded(settled(outcome::cancelled, false)));
  CHECK_FALSE(has_succeeded(settled(outcome::refused, false)));
}

TEST_CASE("a failing job is requeued until all its retries are used") {
  CHECK(after_attempt(false, 1, 2) == fate::again);
  CHECK(after_attempt(false, 2, 2) == fate::again);
  CHECK(after_attempt(false, 3, 2) == fate::dead);
  CHECK(after_attempt(false, 1, 0) == fate::dead);
}

TEST_CASE("a job is done when an attempt succeeds, even after more attempts "
          "than the retries allow") {
  CHECK(after_attempt(true, 1, 0) == fate::done);
  CHECK(after_attempt(true, 9, 2) == fate::done);
}

TEST_CASE("a job is given up as poison if it is delivered more often than its "
          "retries require") {
  CHECK_FALSE(is_poison(3, 2));
  CHECK(is_poison(4, 2));
  CHECK_FALSE(is_poison(1, 0));
  CHECK(is_poison(2, 0));
}

TEST_CASE("the pause before a retry doubles from 100 ms up to 10 s") {
  CHECK(pause_after(1) == duration{100});
  CHECK(pause_after(2) == duration{200});
  CHECK(pause_after(7) == duration{6'400});
  CHECK(pause_after(8) == duration{10'000});
  CHECK(pause_after(1'000'000) == duration{10'000});
}

TEST_CASE("files with different paths have different names for their results") {
  CHECK(result_name("/a") == result_name("/a"));
  CHECK(result_name("/a") != result_name("/b"));
  // printf %s /a | sha256sum
  CHECK(result_name("/a")
        == "6a50dc8584134c7de537c0052ff6d236"
           "bf874355e050c90523e0c5ff2a543a28");
}

TEST_CASE("a result that is written again replaces the previous result") {
  const scratch_folder scratch;
  write_result(scratch / "", "x", "one\n");
  write_result(scratch / "", "x", "two\n");
  CHECK(content_of(scratch / "x") == "two\n");
  CHECK(files_in(scratch / "") == 1);
}

TEST_CASE(
  "a result that cannot be moved into place leaves no temporary file behind") {
  const scratch_folder scratch;
  scratch.file("x/inside");
  CHECK_THROWS_AS(write_result(scratch / "", "x", "one\n"), std::system_error);
  CHECK(files_in(scratch / "") == 1);
  CHECK_THROWS_AS(write_result(scratch / "none", "x", ""), std::system_error);
}

TEST_CASE("a process that works on jobs takes by default at most two jobs per "
          "worker at the same time") {
  CHECK(parsed_work({"--workers", "3"}).window == 6);
  CHECK(parsed_work({"--workers", "3", "--window", "4"}).window == 4);
}

TEST_CASE("seconds on the command line may have fractions") {
  const auto work = parsed_work({"--ack-wait", "0.5", "--deadline", "1.25"});
  CHECK(work.ack_wait == duration{500});
  CHECK(work.deadline == duration{1'250});
}

TEST_CASE("the files to submit are taken from the command line") {
  const auto all =
    std::get<options>(parsed({"--server", "nats://x", "submit", "a", "b"}));
  CHECK(all.server == "nats://x");
  CHECK(std::get<submit_options>(all.command).paths
        == std::vector<std::string>{"a", "b"});
}
