#include "libpool/core/errc.hpp"

#include <doctest/doctest.h>

#include <array>
#include <iterator>
#include <ostream>
#include <set>
#include <string>

using libpool::errc;

namespace {

constexpr std::array all{
  errc::no_workers,      errc::policy_failed,
  errc::cycle,           errc::worker_down,
  errc::pool_closed,     errc::worker_failed,
  errc::worker_crashed,  errc::timeout,
  errc::queue_full,      errc::deadline_exceeded,
  errc::poisoned,        errc::retries_exhausted,
  errc::client_gone,     errc::untrackable_worker,
  errc::no_streams,      errc::flow_full,
  errc::too_wide,        errc::not_needed,
  errc::too_few_workers, errc::too_few_answers,
  errc::stage_failed,    errc::source_failed,
  errc::node_lost,       errc::not_serializable,
  errc::unreadable,      errc::not_work,
  errc::not_connected,   errc::front_lost,
  errc::too_large,       errc::cancelled,
  errc::time_limit,      errc::hopeless,
  errc::too_many_parts,  errc::overloaded,
};

const auto unknown = to_string(static_cast<errc>(0));

} // namespace

TEST_CASE(
  "each error code has a text of its own, and a name of its own that is "
  "valid as a label") {
  std::set<std::string> texts{unknown};
  std::set<std::string> names{"unknown"};
  for (auto code : all) {
    const std::string name = name_of(code);
    CAPTURE(name);
    CHECK(texts.insert(to_string(code)).second);
    CHECK(names.insert(name).second);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")
          == std::string::npos);
  }
  CHECK(std::string{name_of(errc::queue_full)} == "queue_full");
}

TEST_CASE("values that are not error codes have the name and the text of an "
          "unknown error") {
  auto one_more = static_cast<int>(std::size(all)) + 1;
  CHECK(name_of(static_cast<errc>(0)) == std::string{"unknown"});
  CHECK(name_of(static_cast<errc>(one_more)) == std::string{"unknown"});
  CHECK(to_string(static_cast<errc>(one_more)) == std::string{unknown});
  CHECK(to_string(static_cast<errc>(255)) == std::string{unknown});
  CHECK(std::string{unknown} != "");
}

TEST_CASE("an error code becomes a std::error_code of the category libpool") {
  for (auto code : all) {
    std::error_code error = code;
    CHECK(error);
    CHECK(error == make_error_code(code));
    CHECK(error.category() == libpool::error_category());
    CHECK(error.message() == to_string(code));
    CHECK(error.value() == static_cast<int>(code));
  }
  CHECK(std::string{libpool::error_category().name()} == "libpool");
  std::error_code error = errc::no_workers; // has another category's number
  CHECK(error != std::error_code{1, std::generic_category()});
  CHECK(error != errc::timeout);
}
