#include "libpool/core/errc.hpp"

#include <string_view>

int main() {
  std::string_view words = to_string(libpool::errc::queue_full);
  return words == "the queue is full" ? 0 : 1;
}
