#include "libpool/actors/node_options.hpp"

#include <stdexcept>

namespace libpool {

namespace {

void require_node_option(bool holds, const char* option, const char* bound) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: node_options: "} + option
                                + " must be " + bound);
}

} // namespace

void check(const node_options& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  constexpr std::size_t least_credit = 1024;
  require_node_option(options.lease >= milliseconds{1}, "lease",
                      "at least 1 ms");
  require_node_option(options.lease <= hours{24}, "lease", "at most a day");
  require_node_option(options.portion >= 1, "portion", "at least 1");
  require_node_option(options.credit >= least_credit, "credit",
                      "at least 1 KiB");
  require_node_option(options.most_in_flight >= 1, "most_in_flight",
                      "at least 1");
  require_node_option(!options.capacity_bytes || *options.capacity_bytes >= 1,
                      "capacity_bytes", "at least 1");
}

} // namespace libpool
