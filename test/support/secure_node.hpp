#pragma once

#include "libpool/actors/set_up.hpp"
#include "libpool/remote/network.hpp"
#include "support/patience.hpp"
#include "support/port/config.hpp"
#include "support/scratch_folder.hpp"

#include <caf/all.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace test {

/// Two CAs, each of which has signed a certificate of the node "one"; the first
/// has also signed one of "two".
class certificates {
public:
  certificates() {
    make("known", "one two");
    make("stranger", "one");
  }

  libpool::tls_files of(const std::string& name,
                        const std::string& ca = "known") const {
    auto folder = folder_ / ca;
    return {folder + '/' + name + ".pem", folder + '/' + name + ".key",
            folder + "/ca.pem", ""};
  }

  const scratch_folder& folder() const {
    return folder_;
  }

private:
  void make(const std::string& ca, const std::string& names) const {
    auto command = LIBPOOL_CERTIFICATES " '" + (folder_ / ca) + "' " + names;
    if (std::system(command.c_str()) != 0) // NOLINT(cert-env33-c)
      throw std::runtime_error{"no certificates: " + command};
  }

  scratch_folder folder_;
};

/// Made once, by the first test that needs them.
inline const certificates& known() {
  static const certificates instance;
  return instance;
}

/// An actor system that knows others.
struct secure_node {
  explicit secure_node(const libpool::tls_files& files)
    : config(files), system(config) {
    // nop
  }

  struct configuration : test::config {
    explicit configuration(const libpool::tls_files& files) : test::config(2) {
      libpool::load_network(*this);
      libpool::use_tls(*this, files);
    }
  };

  configuration config;
  caf::actor_system system;
};

} // namespace test
