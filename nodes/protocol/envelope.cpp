#include "libpool/nodes/protocol/envelope.hpp"

#include "libpool/nodes/protocol/byte_reader.hpp"
#include "libpool/nodes/protocol/byte_writer.hpp"

namespace libpool {

namespace {

constexpr std::uint8_t numbered = 1;
constexpr std::uint8_t asking = 2;

} // namespace

std::string bytes_of(const envelope& head) {
  byte_writer out{envelope_room};
  auto flags = (head.mark.is_numbered ? numbered : 0U)
               | (head.mark.asks_again ? asking : 0U);
  out.byte(static_cast<std::uint8_t>(flags));
  out.number(head.epoch);
  out.number(head.mark.last);
  out.number(head.mark.received);
  return out.take();
}

std::string_view put_in_envelope(const envelope& head, std::string& batch) {
  auto written = bytes_of(head);
  auto unused = envelope_room - written.size();
  batch.replace(unused, written.size(), written);
  return std::string_view{batch}.substr(unused);
}

std::optional<opened_envelope> open_envelope(std::string_view bytes) {
  byte_reader in{bytes};
  auto flags = in.byte();
  opened_envelope result;
  result.head.epoch = in.number();
  result.head.mark.last = in.number();
  result.head.mark.received = in.number();
  result.head.mark.is_numbered = (flags & numbered) != 0;
  result.head.mark.asks_again = (flags & asking) != 0;
  if (in.has_failed() || flags > (numbered | asking))
    return std::nullopt;
  result.batch = bytes.substr(bytes.size() - in.left());
  return result;
}

} // namespace libpool
