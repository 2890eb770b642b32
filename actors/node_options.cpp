#include "libpool/actors/node_options.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace libpool {

namespace {

void require_node_option(bool holds, const char* option,
                         const std::string& bound, const std::string& given) {
  if (!holds)
    throw std::invalid_argument(std::string{"libpool: node_options: "} + option
                                + " must be " + bound + ", got " + given);
}

void require_node_least(std::size_t least, const char* option,
                        std::size_t given) {
  require_node_option(given >= least, option,
                      "at least " + std::to_string(least),
                      std::to_string(given));
}

} // namespace

void check(const node_options& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  constexpr std::size_t least_credit = 1024;
  require_node_option(
    options.lease >= milliseconds{1} && options.lease <= hours{24}, "lease",
    "between 1 ms and 24 h", std::to_string(options.lease.count()) + " ns");
  require_node_least(1, "portion", options.portion);
  require_node_least(least_credit, "credit", options.credit);
  require_node_least(1, "most_in_flight", options.most_in_flight);
  if (options.capacity_bytes)
    require_node_least(1, "capacity_bytes", *options.capacity_bytes);
}

} // namespace libpool
