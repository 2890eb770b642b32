#pragma once

#include "support/raw_connection.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace raw {

constexpr int most_seconds = 120; // ends tests that hang

/// Files of a certificate, and what a session claims.
struct identity {
  std::string certificate; // empty: none is presented
  std::string key;
  std::string user; // claimed beside the certificate; may be empty
};

/// A session with a NATS server, by TLS and by the protocol of the server: no
/// client library stands between that refuses, repeats or repairs anything.
///
/// The certificate of the server is not checked.
class tls_session {
public:
  using heard =
    std::function<void(const std::string& subject, const std::string& bytes)>;

  /// Connects, and calls `on_message` for each message that comes while this
  /// session reads. Throws std::runtime_error if the server refuses.
  tls_session(std::uint16_t port, const identity& me, heard on_message);

  void publish(const std::string& subject, const std::string& bytes);

  /// `subject` can be followed by a blank and the name of a queue.
  void subscribe(const std::string& subject);

  /// Waits until the server has handled everything that was sent. Returns the
  /// last error that the server has reported meanwhile; empty: none. Throws
  /// std::runtime_error with that error if the connection is closed.
  std::string settle();

  /// Handles what has come. Throws as `settle`.
  void read_what_came();

  /// Serial number of the server's certificate.
  std::string serial_of_server() const;

  int socket() const {
    return connection_.socket();
  }

private:
  template <class T, void (*Free)(T*)>
  struct freeing {
    void operator()(T* x) const noexcept {
      Free(x);
    }
  };

  [[noreturn]] void fail(const std::string& otherwise);
  void begin_tls(const identity& me);
  std::string plain_line() const;
  void send(const std::string& bytes);
  bool receive(bool waits);
  bool take_line();

  const heard on_message_;
  const test::raw_connection connection_;
  std::unique_ptr<SSL_CTX, freeing<SSL_CTX, SSL_CTX_free>> context_;
  std::unique_ptr<SSL, freeing<SSL, SSL_free>> tls_;
  std::string pending_;
  std::string error_;
  std::size_t pongs_ = 0;
  std::size_t subscriptions_ = 0;
};

} // namespace raw
