#include "libpool/nodes/nats/jetstream.hpp"

#include <chrono>

namespace libpool {

bool jetstream::is_open() const {
  if (context_ == nullptr || natsConnection_IsClosed(connection_.get()))
    return false;
  return is_connected() || !options_.are_outdated();
}

bool jetstream::is_connected() const {
  return context_ != nullptr
         && natsConnection_Status(connection_.get())
              == NATS_CONN_STATUS_CONNECTED;
}

std::string jetstream::open(jsOptions& options) {
  close();
  options_.read_new_files();
  if (set_)
    set_(options_.get());
  natsConnection* connection = nullptr;
  if (auto error = natsConnection_Connect(&connection, options_.get());
      error != NATS_OK)
    return close("the NATS server cannot be reached: ", error);
  connection_ = {connection, natsConnection_Destroy};
  jsCtx* context = nullptr;
  if (auto error = natsConnection_JetStream(&context, connection, &options);
      error != NATS_OK)
    return close("JetStream of the NATS server cannot be used: ", error);
  context_.reset(context);
  return {};
}

void jetstream::close() {
  context_.reset();
  connection_.reset();
}

std::string jetstream::close(const std::string& words, natsStatus error) {
  auto why = words + text_of(error);
  close();
  return why;
}

found_message last_message(jsCtx* with, const std::string& stream,
                           const std::string& subject) {
  natsMsg* message = nullptr;
  auto status = js_GetLastMsg(&message, with, stream.c_str(), subject.c_str(),
                              nullptr, nullptr);
  return {status, message_owner{message}};
}

jsOptions jetstream_options(duration longest) {
  using std::chrono::milliseconds;
  jsOptions result;
  jsOptions_Init(&result);
  result.Wait = std::chrono::duration_cast<milliseconds>(longest).count();
  return result;
}

} // namespace libpool
