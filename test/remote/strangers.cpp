/// Programs without a certificate that the gate trusts.

#include "support/gate_world.hpp"
#include "support/raw_connection.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

using libpool::errc;
using test::gate_world;
using test::known;
using test::raw_connection;

namespace {

/// A message of CAF's protocol between nodes: its header, and what follows.
std::string frame(char operation, std::uint32_t announced,
                  const std::string& payload = "") {
  std::string result(32, '\0');
  result[0] = operation;
  for (std::size_t i = 0; i < 4; ++i)
    result[4 + i] = static_cast<char>(announced >> (24 - 8 * i));
  return result + payload;
}

/// A connection by TLS, with the certificate of these files, if any.
class tls_connection {
public:
  explicit tls_connection(std::uint16_t port,
                          const libpool::tls_files& mine = {})
    : connection_(port) {
    if (!mine.certificate.empty()) {
      SSL_CTX_use_certificate_file(tls_.get(), mine.certificate.c_str(),
                                   SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(tls_.get(), mine.key.c_str(),
                                  SSL_FILETYPE_PEM);
    }
    session_.reset(SSL_new(tls_.get()));
    SSL_set_fd(session_.get(), connection_.socket());
    is_connected_ = SSL_connect(session_.get()) == 1;
  }

  tls_connection(const tls_connection&) = delete;
  tls_connection& operator=(const tls_connection&) = delete;

  ~tls_connection() {
    ERR_clear_error();
  }

  void send(const std::string& bytes) {
    SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }

  /// With TLS 1.3 the client hears of a refusal when it reads.
  bool is_let_in() {
    char first = 0;
    return is_connected_ && SSL_read(session_.get(), &first, 1) > 0;
  }

  /// Reads until the other side has closed the connection; returns false if it
  /// does not.
  bool is_closed_by_other() {
    std::array<char, 4096> read{};
    while (SSL_read(session_.get(), read.data(), static_cast<int>(read.size()))
           > 0) {
      // what it has said before
    }
    return is_connected_ && connection_.is_closed_by_other();
  }

private:
  raw_connection connection_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_{
    SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, decltype(&SSL_free)> session_{nullptr, SSL_free};
  bool is_connected_ = false;
};

} // namespace

TEST_CASE_FIXTURE(
  gate_world,
  "a program without a certificate is rejected, and disturbs no other client") {
  open();
  auto remote = connected();
  for (auto i = 1; i <= 20; ++i) {
    CHECK_FALSE(tls_connection{gate->port()}.is_let_in());
    REQUIRE(ask(remote, i) == i * i);
  }
  CHECK(ask(connected(), 7) == 49);
}

TEST_CASE("a node with a certificate of another CA is rejected") {
  auto files = known().of("one", "stranger");
  SUBCASE("the node trusts only that CA") {
    // as it comes
  }
  SUBCASE("the node trusts the CA of the gate") {
    files.ca = known().of("one").ca;
  }
  gate_world world{known().of("one"), files};
  world.open();
  auto found = world.connect();
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::not_connected);
  CHECK(world.gate->counts().passed == 0);
}

TEST_CASE("a node does not use a gate with a certificate of another CA") {
  auto files = known().of("one", "stranger");
  files.ca = known().of("one").ca; // trusts the client
  gate_world world{files, known().of("two")};
  world.open();
  auto found = world.connect();
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::not_connected);
}

TEST_CASE_FIXTURE(
  gate_world,
  "plain handshakes of CAF's protocol only end their own connection") {
  open();
  auto remote = connected();
  const std::vector<std::string> handshakes{
    frame(1, 0),
    frame(0, 0),
    frame(2, 0xffffffff),
    frame(4, 16),
    frame(1, 32, std::string(32, '\x7f')),
    std::string(32, '\xff')};
  for (auto& each : handshakes) {
    raw_connection stranger{gate->port()};
    stranger.send(each);
    CHECK(stranger.is_closed_by_other());
    REQUIRE(ask(remote, 7) == 49);
  }
}

TEST_CASE_FIXTURE(
  gate_world,
  "damaged frames of a program with a certificate only end its connection") {
  constexpr char direct_message = 2;
  open();
  auto remote = connected();
  const std::vector<std::string> frames{
    frame('\x7f', 0),          // there is no such operation
    frame(direct_message, 16), // to nobody
    std::string(31, '\x7f') + '\x80'};
  for (const auto& each : frames) {
    tls_connection other{gate->port(), known().of("two")};
    other.send(each);
    CHECK(other.is_closed_by_other());
    REQUIRE(ask(remote, 7) == 49);
  }
}

TEST_CASE_FIXTURE(gate_world, "an incomplete frame of a program with a "
                              "certificate delays no other client") {
  constexpr char monitor_message = 4;
  open();
  auto remote = connected();
  for (auto i = 0; i < 20; ++i) {
    tls_connection other{gate->port(), known().of("two")};
    other.send(frame(monitor_message, 1U << 20U, "the first few bytes"));
    REQUIRE(ask(remote, 7) == 49);
  }
  CHECK(ask(connected(), 7) == 49);
}

TEST_CASE_FIXTURE(gate_world, "random bytes only end their own connection") {
  open();
  auto remote = connected();
  std::mt19937 generator{42};
  for (auto i = 0; i < 100; ++i) {
    CAPTURE(i);
    std::string bytes(1 + generator() % 2'000, '\0');
    for (auto& each : bytes)
      each = static_cast<char>(generator());
    if (i % 2 == 0)
      bytes.replace(0, 3, "\x16\x03\x01"); // a handshake of TLS
    raw_connection stranger{gate->port()};
    stranger.send(bytes);
  }
  CHECK(ask(remote, 7) == 49);
  CHECK(ask(connected(), 8) == 64);
  CHECK(stats().workers == 2);
}

TEST_CASE_FIXTURE(gate_world,
                  "silent connections do not keep other clients out") {
  open();
  std::vector<std::unique_ptr<raw_connection>> silent;
  for (auto i = 0; i < 100; ++i)
    silent.push_back(std::make_unique<raw_connection>(gate->port()));
  CHECK(ask(connected(), 7) == 49);
}

TEST_CASE_FIXTURE(
  gate_world,
  "a connection to a port that does not answer fails after the timeout") {
  auto mute = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof(at);
  REQUIRE(::bind(mute, address, size) == 0);
  REQUIRE(::listen(mute, 8) == 0);
  REQUIRE(::getsockname(mute, address, &size) == 0);
  auto found = libpool::connect(there.system, {"127.0.0.1", ntohs(at.sin_port)},
                                {std::chrono::milliseconds{100}});
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::not_connected);
  CHECK(libpool::render(found.error(), there.system)
          .find("no gate answered within 100 ms")
        != std::string::npos);
  ::close(mute);
}
