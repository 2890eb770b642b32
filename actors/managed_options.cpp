#include "libpool/actors/managed_options.hpp"

#include <stdexcept>

namespace libpool {

namespace {

void require_option(bool holds, const char* option, const char* bound) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: managed_options: "}
                                + option + " must be " + bound);
}

} // namespace

void check(const managed_options& options) {
  auto* again = std::get_if<retry>(&options.on_crash);
  auto& restart = options.restart;
  require_option(options.most_workers >= 1, "most_workers", "at least 1");
  require_option(options.workers <= options.most_workers, "workers",
                 "at most most_workers");
  require_option(!options.window || *options.window >= 1, "window",
                 "at least 1");
  require_option(!options.deadline || options.deadline->count() > 0, "deadline",
                 "above 0");
  require_option(again == nullptr || again->times >= 1,
                 "on_crash: retry: times", "at least 1");
  require_option(options.on_overflow == overflow::refuse || options.capacity,
                 "capacity", "given where on_overflow is drop_oldest");
  require_option(restart.period.count() > 0, "restart: period", "above 0");
  require_option(restart.pause.count() >= 0, "restart: pause", "at least 0");
  require_option(restart.longest_pause >= restart.pause,
                 "restart: longest_pause", "at least pause");
  require_option(!options.name.empty(), "name", "a name");
}

} // namespace libpool
