#include "program.hpp"

#include "count.hpp"
#include "files.hpp"
#include "libpool/actors/set_up.hpp"
#include "messages.hpp"
#include "port/configuring.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "tally.hpp"

#include <caf/all.hpp>

#include <cerrno>
#include <exception>
#include <iostream>
#include <optional>
#include <system_error>

namespace word_count {

namespace {

void complain(const std::string& text) {
  std::cerr << "word_count: " << text << '\n';
}

word_counts count(const options& options, tally& seen) {
  std::optional<progress_line> line;
  if (!options.quiet)
    line.emplace(seen);
  caf::actor_system_config config;
  libpool::set_up(config);
  port::add_message_types<caf::id_block::word_count>(config);
  caf::actor_system system{config};
  return count(system, options, seen);
}

/// Whether all of it could be written.
bool show(const word_counts& counts, const options& options) {
  errno = 0;
  print(std::cout,
        options.top ? by_frequency(counts, *options.top) : by_word(counts));
  if (std::cout.flush())
    return true;
  const auto error = errno != 0 ? errno : EIO;
  complain("standard output: " + std::generic_category().message(error));
  return false;
}

/// Whether there are none.
bool show_failures(const tally& seen) {
  const auto failures = seen.failures();
  for (const auto& [path, why] : failures)
    complain(printable(path) + ": " + why);
  return failures.empty();
}

} // namespace

exit_code run_program(const options& options) try {
  tally seen;
  const auto counts = count(options, seen);
  const auto is_complete = show_failures(seen);
  return show(counts, options) && is_complete ? success : some_failed;
} catch (const std::exception& why) {
  complain(why.what());
  return some_failed;
}

} // namespace word_count
