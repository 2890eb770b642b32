#include "libpool/remote/nats_line.hpp"

#include <nats/nats.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace libpool {

namespace {

constexpr int for_ever = -1;
constexpr int between_attempts = 100; // milliseconds
constexpr int between_pings = 1'000;  // milliseconds
constexpr int most_pings_out = 2;

template <auto Destroy>
struct destroyer {
  template <class T>
  void operator()(T* x) const noexcept {
    Destroy(x);
  }
};

using options_owner =
  std::unique_ptr<natsOptions, destroyer<natsOptions_Destroy>>;

void require(natsStatus status, const std::string& doing) {
  if (status == NATS_OK)
    return;
  auto why = "libpool: " + doing + ": " + natsStatus_GetText(status);
  if (const auto* details = nats_GetLastError(nullptr);
      details != nullptr && *details != '\0')
    why += std::string{": "} + details;
  throw std::runtime_error(why);
}

/// What callbacks of the NATS library need, as long as there may be any.
struct listener {
  std::shared_ptr<transport_user> user;
  std::size_t before_name = 0; // in subjects of messages that come
  std::atomic<bool> is_up{false};
};

using listener_ptr = std::shared_ptr<listener>;

listener& listener_in(void* closure) {
  return **static_cast<listener_ptr*>(closure);
}

void drop(void* closure) {
  delete static_cast<listener_ptr*>(closure);
}

void on_message(natsConnection*, natsSubscription*, natsMsg* message,
                void* closure) {
  auto& to = listener_in(closure);
  std::shared_ptr<natsMsg> owner{message, natsMsg_Destroy};
  std::string_view subject{natsMsg_GetSubject(message)};
  subject.remove_prefix(std::min(to.before_name, subject.size()));
  std::string_view bytes{
    natsMsg_GetData(message),
    static_cast<std::size_t>(natsMsg_GetDataLength(message))};
  to.user->heard(std::string{subject}, {std::move(owner), bytes});
}

void on_up(natsConnection*, void* closure) {
  auto& to = listener_in(closure);
  to.is_up = true;
  to.user->came_up();
}

void on_down(natsConnection* connection, void* closure) {
  auto& to = listener_in(closure);
  to.is_up = false;
  const char* why = nullptr;
  natsConnection_GetLastError(connection, &why);
  to.user->went_down(why != nullptr && *why != '\0'
                       ? "the NATS server cannot be reached: "
                           + std::string{why}
                       : "the NATS server cannot be reached");
}

class nats_line final : public transport {
public:
  nats_line(const nats_options& by, nats_subjects at,
            std::shared_ptr<transport_user> user)
    : at_(std::move(at)), listener_(std::make_shared<listener>()) {
    listener_->user = std::move(user);
    if (at_.in.size() >= 2 && at_.in.compare(at_.in.size() - 2, 2, ".>") == 0)
      listener_->before_name = at_.in.size() - 1;
    else
      listener_->before_name = at_.in.size();
    connect(by);
    subscribe();
  }

  nats_line(const nats_line&) = delete;
  nats_line& operator=(const nats_line&) = delete;

  /// What was said last is sent before the end, if the server can be reached.
  ~nats_line() override {
    constexpr int patience = 200; // milliseconds
    natsSubscription_Unsubscribe(subscription_);
    natsSubscription_Destroy(subscription_);
    if (listener_->is_up)
      natsConnection_FlushTimeout(connection_, patience);
    natsConnection_Close(connection_);
    natsConnection_Destroy(connection_);
  }

  void say(const std::string& to, std::string_view message) override {
    if (!listener_->is_up)
      return;
    auto subject = to.empty() ? at_.out : at_.out + "." + to;
    natsConnection_Publish(connection_, subject.c_str(), message.data(),
                           static_cast<int>(message.size()));
  }

  std::size_t most_bytes() const noexcept override {
    auto most = natsConnection_GetMaxPayload(connection_);
    return most > 0 ? static_cast<std::size_t>(most)
                    : std::size_t{1} << 20U; // the default of servers
  }

private:
  options_owner options_for(const nats_options& by) {
    natsOptions* made = nullptr;
    require(natsOptions_Create(&made), "cannot use NATS");
    options_owner result{made};
    auto set = [](natsStatus status) {
      require(status, "cannot use the options of NATS");
    };
    std::vector<const char*> servers;
    servers.reserve(by.servers.size());
    for (const auto& each : by.servers)
      servers.push_back(each.c_str());
    set(natsOptions_SetServers(made, servers.data(),
                               static_cast<int>(servers.size())));
    set(natsOptions_SetMaxReconnect(made, for_ever));
    set(natsOptions_SetReconnectWait(made, between_attempts));
    set(
      natsOptions_SetReconnectJitter(made, between_attempts, between_attempts));
    set(natsOptions_SetPingInterval(made, between_pings));
    set(natsOptions_SetMaxPingsOut(made, most_pings_out));
    set(natsOptions_SetNoEcho(made, true));
    // Messages are full already, or somebody waits for them.
    set(natsOptions_SetSendAsap(made, true));
    if (!by.insecure_loopback)
      set_tls(made, by);
    return result;
  }

  static void set_tls(natsOptions* to, const nats_options& by) {
    require(natsOptions_SetSecure(to, true), "cannot use TLS");
    require(natsOptions_LoadCATrustedCertificates(to, by.ca.c_str()),
            "cannot use the authorities in '" + by.ca + "'");
    require(natsOptions_LoadCertificatesChain(to, by.certificate.c_str(),
                                              by.key.c_str()),
            "cannot use the certificate '" + by.certificate + "' with the key '"
              + by.key + "'");
    if (!by.server_name.empty())
      require(natsOptions_SetExpectedHostname(to, by.server_name.c_str()),
              "cannot use the server name '" + by.server_name + "'");
  }

  void connect(const nats_options& by) {
    auto how = options_for(by);
    auto* closure = new listener_ptr{listener_}; // until the last callback
    natsOptions_SetRetryOnFailedConnect(how.get(), true, on_up, closure);
    natsOptions_SetReconnectedCB(how.get(), on_up, closure);
    natsOptions_SetDisconnectedCB(how.get(), on_down, closure);
    natsOptions_SetClosedCB(
      how.get(), [](natsConnection*, void* last) { drop(last); }, closure);
    auto status = natsConnection_Connect(&connection_, how.get());
    if (status == NATS_NOT_YET_CONNECTED)
      return on_down(connection_, closure);
    if (status != NATS_OK) {
      drop(closure);
      require(status, "cannot connect to NATS");
    }
    on_up(connection_, closure);
  }

  void subscribe() {
    auto* closure = new listener_ptr{listener_};
    auto status = natsConnection_Subscribe(&subscription_, connection_,
                                           at_.in.c_str(), on_message, closure);
    if (status != NATS_OK) {
      drop(closure);
      natsConnection_Close(connection_);
      natsConnection_Destroy(connection_);
      require(status, "cannot listen to '" + at_.in + "'");
    }
    natsSubscription_SetOnCompleteCB(subscription_, drop, closure);
  }

  const nats_subjects at_;
  const listener_ptr listener_;
  natsConnection* connection_ = nullptr;
  natsSubscription* subscription_ = nullptr;
};

bool stays(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '-';
}

std::string hexadecimal(std::uint64_t number, std::size_t digits) {
  constexpr std::string_view all = "0123456789abcdef";
  std::string result(digits, '0');
  for (; digits > 0; number >>= 4U)
    result[--digits] = all[number & 0xFU];
  return result;
}

nats_subjects of_pool(const nats_options& by, const std::string& pool,
                      const char* in, const char* out) {
  auto base = by.prefix + "." + nats_token(pool) + ".";
  return {base + in + ".>", base + out};
}

/// The other end of the pool's subjects.
nats_subjects of_peer(const nats_subjects& pool, const std::string& peer,
                      std::uint64_t run) {
  auto name = "." + nats_token(peer) + "." + hexadecimal(run, 16);
  auto without_wildcard = pool.in.substr(0, pool.in.size() - 2);
  return {pool.out + name, without_wildcard + name};
}

} // namespace

std::string nats_token(const std::string& name) {
  std::string result;
  for (auto c : name)
    if (stays(c))
      result += c;
    else
      result += "_" + hexadecimal(static_cast<unsigned char>(c), 2);
  return result.empty() ? "_" : result;
}

nats_subjects subjects_for_nodes(const nats_options& by,
                                 const std::string& pool) {
  return of_pool(by, pool, "front", "node");
}

nats_subjects subjects_for_clients(const nats_options& by,
                                   const std::string& pool) {
  return of_pool(by, pool, "submit", "client");
}

nats_subjects subjects_of_node(const nats_options& by, const std::string& pool,
                               const std::string& node, std::uint64_t run) {
  return of_peer(of_pool(by, pool, "front", "node"), node, run);
}

nats_subjects subjects_of_client(const nats_options& by,
                                 const std::string& pool,
                                 const std::string& client, std::uint64_t run) {
  return of_peer(of_pool(by, pool, "submit", "client"), client, run);
}

std::shared_ptr<transport>
open_nats_line(const nats_options& by, const nats_subjects& at,
               std::shared_ptr<transport_user> user) {
  return std::make_shared<nats_line>(by, at, std::move(user));
}

} // namespace libpool
