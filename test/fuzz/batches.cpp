#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

std::string written(const libpool::read_by_pool& x) {
  const auto* greeting = std::get_if<libpool::hello>(&x.batch.content);
  return greeting != nullptr ? bytes_of(*greeting, x.who)
                             : bytes_of(x.batch, x.contents);
}

std::string written(const libpool::read_by_node& x) {
  return x.rejected ? libpool::bytes_of(*x.rejected)
                    : bytes_of(x.batch, x.contents);
}

/// Aborts if the batch, written and read again, is another one.
template <class Read>
void check(const std::optional<Read>& first,
           std::optional<Read> (*read)(std::string_view)) {
  if (!first)
    return;
  auto bytes = written(*first);
  auto second = read(bytes);
  if (second && written(*second) == bytes)
    return;
  std::fputs("the batch changes when it is written and read\n", stderr);
  std::abort();
}

/// Aborts if an envelope, written and read again, is another one, or its batch
/// is not the rest of the bytes.
void check_envelope(std::string_view bytes) {
  auto first = libpool::open_envelope(bytes);
  if (!first)
    return;
  auto head = bytes_of(first->head);
  auto again = head + std::string{first->batch};
  auto second = libpool::open_envelope(again);
  if (second && bytes_of(second->head) == head && second->batch == first->batch)
    return;
  std::fputs("the envelope changes when it is written and read\n", stderr);
  std::abort();
}

} // namespace

/// Has both ends read the bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string bytes{data, data + size};
  check(libpool::read_batch_to_pool(bytes), &libpool::read_batch_to_pool);
  check(libpool::read_batch_to_node(bytes), &libpool::read_batch_to_node);
  check_envelope(bytes);
  return 0;
}
