#include "support/programs.hpp"

#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/network.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace bench {

namespace process = boost::process;

namespace {

std::string certificates() {
  const auto* folder = std::getenv("LIBPOOL_BENCH_CERTIFICATES");
  return folder != nullptr ? folder : "";
}

} // namespace

void require(natsStatus status) {
  if (status != NATS_OK)
    throw std::runtime_error(natsStatus_GetText(status));
}

networked::networked() {
  libpool::set_up(*this);
  port::load_network(*this);
  port::wait_when_idle(*this);
}

libpool::pool_address address_of(const std::string& port,
                                 const std::string& pool) {
  libpool::pool_address result;
  auto folder = certificates();
  result.pool = pool;
  result.by.servers = {(folder.empty() ? "nats" : "tls")
                       + std::string{"://localhost:"} + port};
  result.by.insecure_loopback = folder.empty();
  result.by.ca = folder + "/ca.pem";
  result.by.certificate = folder + "/localhost.pem";
  result.by.key = folder + "/localhost.key";
  return result;
}

natsConnection* connect_bare(const std::string& port, bool at_once) {
  natsOptions* made = nullptr;
  require(natsOptions_Create(&made));
  std::unique_ptr<natsOptions, void (*)(natsOptions*)> options{
    made, natsOptions_Destroy};
  auto where = address_of(port, "bare").by;
  require(natsOptions_SetURL(made, where.servers.front().c_str()));
  if (!where.insecure_loopback) {
    require(natsOptions_SetSecure(made, true));
    require(natsOptions_LoadCATrustedCertificates(made, where.ca.c_str()));
    require(natsOptions_LoadCertificatesChain(made, where.certificate.c_str(),
                                              where.key.c_str()));
  }
  require(natsOptions_SetSendAsap(made, at_once));
  natsConnection* result = nullptr;
  require(natsConnection_Connect(&result, made));
  return result;
}

void await_end_of_input() {
  std::string line;
  std::getline(std::cin, line);
}

// -- program ------------------------------------------------------------------

program::~program() {
  if (child_.running())
    told_ << std::endl;
  child_.wait();
}

std::uint16_t program::next_number() {
  std::uint16_t result = 0;
  if (!(said_ >> result))
    throw std::runtime_error("a program has ended");
  return result;
}

void program::await(const std::string& line) {
  for (std::string each; each != line;)
    if (!std::getline(said_, each))
      throw std::runtime_error("a program has ended");
}

void program::signal(int number) const {
  ::kill(child_.id(), number);
}

void program::kill() {
  child_.terminate();
}

double program::seconds() const {
  clockid_t clock = 0;
  clock_getcpuclockid(child_.id(), &clock);
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec)
         + static_cast<double>(time.tv_nsec) * 1e-9;
}

// -- nats_server --------------------------------------------------------------

nats_server::nats_server()
  : folder_("/tmp/bench_nats_" + std::to_string(::getpid())) {
  auto encrypted = certificates();
  std::filesystem::create_directories(folder_);
  std::ofstream config{folder_ + "/server.conf"};
  config << "host: 127.0.0.1\nport: " << port() << "\njetstream { store_dir: \""
         << folder_ << "\" }\n";
  if (!encrypted.empty())
    config << "tls { cert_file: \"" << encrypted
           << "/localhost.pem\", key_file: \"" << encrypted
           << "/localhost.key\", ca_file: \"" << encrypted
           << "/ca.pem\", verify: true }\n";
  config.close();
  start();
}

nats_server::~nats_server() {
  child_.terminate();
  std::filesystem::remove_all(folder_);
}

std::string nats_server::port() {
  return std::to_string(20'000 + ::getpid() % 10'000);
}

void nats_server::start() {
  child_ = process::child{"/usr/bin/env",
                          "PATH=/usr/local/bin:/usr/bin:/usr/sbin",
                          "nats-server",
                          "-c",
                          folder_ + "/server.conf",
                          process::std_err > process::null};
  for (auto i = 0; i < 100 && !answers(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
}

void nats_server::kill() {
  child_.terminate();
}

bool nats_server::answers() {
  try {
    natsConnection_Destroy(connect_bare(port(), false));
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

} // namespace bench
