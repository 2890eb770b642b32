/// Where gates open, and where they refuse to.

#include "support/gate_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using libpool::errc;
using libpool::gate;
using libpool::gate_options;
using libpool::tls_files;
using test::gate_world;
using test::known;

namespace {

/// Why no gate opens on a node that uses these files.
std::string objection(const tls_files& files,
                      const gate_options& options = {}) {
  gate_world world{files};
  auto opened = gate::for_submitters(world.here.system, world.pool, options);
  REQUIRE_FALSE(opened);
  CHECK(opened.error() == errc::insecure);
  auto words = libpool::render(opened.error(), world.here.system);
  CHECK(words.find(
          "libpool: any program that can reach the port could use the pool: ")
        == 0);
  return words.substr(words.find(": ", 10) + 2);
}

gate_options insecure_at(std::string address) {
  gate_options result;
  result.address = std::move(address);
  result.insecure_loopback = true;
  return result;
}

} // namespace

TEST_CASE("a gate reports which files are missing") {
  CHECK(
    objection({})
    == "files for TLS are missing, pass them to use_tls: certificate, key, ca");
  auto files = known().of("one");
  files.ca = "";
  CHECK(objection(files)
        == "files for TLS are missing, pass them to use_tls: ca");
}

TEST_CASE("a gate reports which file cannot be read") {
  auto files = known().of("one");
  SUBCASE("the certificate") {
    files.certificate = known().folder() / "nothing.pem";
    CHECK(objection(files).find("the certificate '" + files.certificate
                                + "' cannot be used: ")
          == 0);
  }
  SUBCASE("the key") {
    files.key = known().folder() / "nothing.key";
    CHECK(objection(files).find("the key '" + files.key + "' cannot be used: ")
          == 0);
  }
  SUBCASE("the CA") {
    files.ca = known().folder() / "nothing.pem";
    CHECK(objection(files).find("the ca '" + files.ca + "' cannot be used: ")
          == 0);
  }
}

TEST_CASE("a gate refuses a key that belongs to another certificate") {
  auto files = known().of("one");
  files.key = known().of("two").key;
  auto words = objection(files);
  CHECK(words.find("the key '" + files.key + "' cannot be used: ") == 0);
  CHECK(words.find("mismatch") != std::string::npos);
}

TEST_CASE("a gate refuses files that are not certificates") {
  known().folder().file("garbage.pem", "-----BEGIN CERTIFICATE-----\nno\n");
  auto files = known().of("one");
  files.certificate = known().folder() / "garbage.pem";
  CHECK(objection(files).find("the certificate '") == 0);
}

TEST_CASE("a gate allows no TLS only at a loopback address") {
  for (auto* address : {"", "0.0.0.0", "10.0.0.1", "localhost", "::", "x"})
    CHECK(objection({}, insecure_at(address))
          == "insecure_loopback requires a loopback address such as 127.0.0.1 "
             "or ::1, got '"
               + std::string{address} + "'");
}

TEST_CASE(
  "a gate at a loopback address works without TLS if the options say so") {
  gate_world world{{}, {}};
  world.open(insecure_at("127.0.0.1"));
  CHECK(world.ask(world.connected({test::patience, true}), 7) == 49);
}

TEST_CASE("a client connects without TLS only to a loopback address") {
  gate_world world{{}, {}};
  auto found = libpool::connect(world.there.system, {"10.0.0.1", 4242},
                                {test::patience, true});
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::insecure);
}

TEST_CASE("a client needs certificates unless the options allow no TLS") {
  gate_world world{{}, {}};
  world.open(insecure_at("127.0.0.1"));
  auto found = world.connect();
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::insecure);
}

TEST_CASE("a gate reports the port that it cannot open") {
  gate_world world;
  world.open();
  gate_options again;
  again.port = world.gate->port();
  auto second = gate::for_submitters(world.here.system, world.pool, again);
  REQUIRE_FALSE(second);
  CHECK(second.error() == errc::not_connected);
  CHECK(
    libpool::render(second.error(), world.here.system)
      .find("cannot listen at 127.0.0.1, port " + std::to_string(again.port))
    != std::string::npos);
  CHECK(world.ask(world.connected(), 7) == 49);
}

TEST_CASE("a gate of a system without network reports that") {
  test::config config{2};
  libpool::use_tls(config, known().of("one"));
  caf::actor_system system{config};
  auto pool = libpool::actor_pool::make(system,
                                        libpool::actor_pool::round_robin());
  auto opened = gate::for_submitters(system, pool);
  REQUIRE_FALSE(opened);
  CHECK(opened.error() == errc::not_connected);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

TEST_CASE("a connection to a port without a gate fails within the timeout") {
  gate_world world;
  world.open();
  auto port = world.gate->port();
  world.gate->close();
  auto found = libpool::connect(world.there.system, {"127.0.0.1", port});
  REQUIRE_FALSE(found);
  CHECK(found.error() == errc::not_connected);
  CHECK(libpool::render(found.error(), world.there.system)
          .find("127.0.0.1, port " + std::to_string(port))
        != std::string::npos);
}
