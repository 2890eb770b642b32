#include "nats.hpp"

#include <stdexcept>

namespace durable::nats {

namespace {

constexpr int for_ever = -1;
constexpr int milliseconds_between_attempts = 100;

} // namespace

void check(natsStatus status, const std::string& doing) {
  if (status == NATS_OK)
    return;
  const char* details = nats_GetLastError(nullptr);
  auto why = doing + ": " + natsStatus_GetText(status);
  if (details != nullptr && *details != '\0')
    why += std::string{": "} + details;
  throw std::runtime_error(why);
}

connection connect(const std::string& url) {
  const auto doing = "cannot connect to " + url;
  auto how = made<options>(doing, natsOptions_Create);
  check(natsOptions_SetURL(how.get(), url.c_str()), doing);
  check(natsOptions_SetMaxReconnect(how.get(), for_ever), doing);
  check(natsOptions_SetReconnectWait(how.get(), milliseconds_between_attempts),
        doing);
  return made<connection>(doing, [&](natsConnection** to) {
    return natsConnection_Connect(to, how.get());
  });
}

} // namespace durable::nats
