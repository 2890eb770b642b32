#include "tls_session.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace raw {

namespace {

std::string tls_error(const std::string& otherwise) {
  auto code = ERR_get_error();
  if (code == 0)
    return otherwise;
  const auto* text = ERR_reason_error_string(code);
  return text != nullptr ? text : otherwise;
}

void require(bool holds, const std::string& otherwise) {
  if (!holds)
    throw std::runtime_error{tls_error(otherwise)};
}

} // namespace

tls_session::tls_session(std::uint16_t port, const identity& me,
                         heard on_message)
  : on_message_(std::move(on_message)), connection_(port, most_seconds) {
  begin_tls(me);
  auto user = me.user.empty() ? std::string{}
                              : R"(,"user":")" + me.user + R"(","pass":"")";
  send(R"(CONNECT {"verbose":false,"pedantic":false,"echo":false)" + user
       + "}\r\n");
  settle();
}

/// The server introduces itself before TLS begins.
std::string tls_session::plain_line() const {
  std::string result;
  for (char c = 0; ::recv(socket(), &c, 1, 0) == 1 && c != '\n';)
    result += c;
  return result;
}

void tls_session::begin_tls(const identity& me) {
  if (auto line = plain_line(); line.rfind("INFO ", 0) != 0)
    throw std::runtime_error{line};
  context_.reset(SSL_CTX_new(TLS_client_method()));
  require(context_ != nullptr, "no TLS");
  if (!me.certificate.empty()) {
    require(
      SSL_CTX_use_certificate_chain_file(context_.get(), me.certificate.c_str())
        == 1,
      "cannot read " + me.certificate);
    require(SSL_CTX_use_PrivateKey_file(context_.get(), me.key.c_str(),
                                        SSL_FILETYPE_PEM)
              == 1,
            "cannot read " + me.key);
  }
  tls_.reset(SSL_new(context_.get()));
  require(SSL_set_fd(tls_.get(), socket()) == 1, "no TLS");
  require(SSL_connect(tls_.get()) == 1, "the server ends the handshake");
}

std::string tls_session::serial_of_server() const {
  std::unique_ptr<X509, freeing<X509, X509_free>> theirs{
    SSL_get1_peer_certificate(tls_.get())};
  std::unique_ptr<BIGNUM, freeing<BIGNUM, BN_free>> number{
    ASN1_INTEGER_to_BN(X509_get0_serialNumber(theirs.get()), nullptr)};
  auto* text = BN_bn2hex(number.get());
  std::string result{text};
  OPENSSL_free(text);
  return result;
}

void tls_session::publish(const std::string& subject,
                          const std::string& bytes) {
  send("PUB " + subject + " " + std::to_string(bytes.size()) + "\r\n" + bytes
       + "\r\n");
}

void tls_session::subscribe(const std::string& subject) {
  send("SUB " + subject + " " + std::to_string(++subscriptions_) + "\r\n");
}

std::string tls_session::settle() {
  error_.clear();
  auto wanted = pongs_ + 1;
  send("PING\r\n");
  while (pongs_ < wanted)
    if (!take_line() && !receive(true))
      fail("the server has closed the connection");
  return error_;
}

void tls_session::read_what_came() {
  auto is_open = receive(false);
  while (take_line()) {
    // the next one
  }
  if (!is_open)
    fail("the server has closed the connection");
}

/// The last error of the server says why it has closed the connection.
void tls_session::fail(const std::string& otherwise) {
  while (take_line()) {
    // it may be among these
  }
  auto why = tls_error(otherwise);
  throw std::runtime_error{error_.empty() ? why : error_};
}

/// A connection that is closed meanwhile is noticed by the next read, which may
/// tell why.
void tls_session::send(const std::string& bytes) {
  std::size_t size = 0;
  ERR_clear_error();
  if (!bytes.empty())
    SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &size);
}

/// Reads a part, and returns false if the connection is closed.
bool tls_session::receive(bool waits) {
  std::array<char, 16384> part{};
  auto flags = ::fcntl(socket(), F_GETFL);
  if (!waits)
    ::fcntl(socket(), F_SETFL, flags | O_NONBLOCK);
  std::size_t size = 0;
  auto is_open = true;
  ERR_clear_error();
  do {
    auto got = SSL_read_ex(tls_.get(), part.data(), part.size(), &size);
    if (got == 1)
      pending_.append(part.data(), size);
    else
      is_open = !waits && SSL_get_error(tls_.get(), got) == SSL_ERROR_WANT_READ;
  } while (is_open && SSL_pending(tls_.get()) > 0);
  ::fcntl(socket(), F_SETFL, flags);
  return is_open;
}

/// Handles a line, and the message that follows; returns false if not all of it
/// has come.
bool tls_session::take_line() {
  auto end = pending_.find("\r\n");
  if (end == std::string::npos)
    return false;
  auto line = pending_.substr(0, end);
  auto after = end + 2;
  if (line.rfind("MSG ", 0) == 0) {
    auto size = std::stoul(line.substr(line.rfind(' ') + 1));
    if (pending_.size() < after + size + 2)
      return false;
    auto bytes = pending_.substr(after, size);
    pending_.erase(0, after + size + 2);
    on_message_(line.substr(4, line.find(' ', 4) - 4), bytes);
    return true;
  }
  pending_.erase(0, after);
  if (line == "PONG")
    ++pongs_;
  else if (line == "PING")
    send("PONG\r\n");
  else if (line.rfind("-ERR ", 0) == 0)
    error_ = line.substr(5);
  return true;
}

} // namespace raw
