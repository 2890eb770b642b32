/// Code that must not compile, one CASE at a time; see misuse.cmake. The words
/// of each error are in mismatch.words.

#include "support/port/actors.hpp"

#include "libpool/actors/pipeline.hpp"
#include "support/port/actors.hpp"

#include <caf/typed_actor.hpp>

#include <optional>
#include <string>

using libpool::collect;
using libpool::function_stage;
using libpool::generate;

namespace {

std::string write(int) {
  return {};
}

int read(const std::string&) {
  return 0;
}

[[maybe_unused]] void plan() {
  auto numbers = generate([] { return std::optional<int>{}; });
#if CASE == 0
  numbers | function_stage("w", write) | function_stage("r", read)
    | collect([](int) {});
#elif CASE == 1
  function_stage("w", write) | function_stage("w", write);
#elif CASE == 2
  numbers | function_stage("r", read);
#elif CASE == 3
  function_stage("r", read) | numbers;
#elif CASE == 4
  collect([](int) {}) | function_stage("w", write);
#elif CASE == 5
  function_stage("g", [](auto x) { return x; });
#elif CASE == 6
  function_stage("two", [](int x, int y) { return x + y; });
#elif CASE == 7
  generate([] { return 1; });
#elif CASE == 8
  function_stage("changes", [](int& x) { return x; });
#elif CASE == 9
  libpool::pool_stage(
    "typed",
    caf::typed_actor<test::signature<int, int>, test::reaction<char>>{});
#elif CASE == 10
  generate([](int x) { return std::optional{x}; });
#elif CASE == 11
  libpool::pool_stage("no workers", 4, [] { return 1; });
#elif CASE == 12
  libpool::pool_stage("no actor", std::string{});
#elif CASE == 13
  libpool::pull_from(std::string{});
#endif
}

} // namespace
