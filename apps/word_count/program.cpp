#include "program.hpp"

#include "count.hpp"
#include "files.hpp"
#include "libpool/actors/set_up.hpp"
#include "messages.hpp"
#include "port/configuring.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "tally.hpp"

#include "console/outputs.hpp"
#include "console/progress_line.hpp"
#include "console/text.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <exception>
#include <optional>

namespace word_count {

namespace {

word_counts count(const options& options, tally& seen, console::outputs& out) {
  std::optional<console::progress_line> line;
  if (!options.quiet)
    line.emplace(out, [&](double seconds, std::size_t width) {
      return render(seen, seconds, width);
    });
  caf::actor_system_config config;
  libpool::set_up(config);
  port::add_message_types<caf::id_block::word_count>(config);
  caf::actor_system system{config};
  return count(system, options, seen,
               [&](const std::string& text) { out.complain(text); });
}

/// Whether there are none.
bool show_failures(const tally& seen, console::outputs& out) {
  const auto failures = seen.failures();
  for (const auto& [path, why] : failures)
    out.complain(console::printable(path) + ": " + why);
  return failures.empty();
}

} // namespace

exit_code run_program(const options& options) {
  console::outputs out{"word_count"};
  try {
    tally seen;
    const auto counts = count(options, seen, out);
    const auto is_complete = show_failures(seen, out);
    out.print(text_of(options.top ? by_frequency(counts, *options.top)
                                  : by_word(counts)));
    return out.finish() && is_complete ? success : some_failed;
  } catch (const std::exception& why) {
    out.complain(why.what());
    return some_failed;
  }
}

} // namespace word_count
