#include "node.hpp"

#include "libpool/actors/set_up.hpp"
#include "libpool/remote/network.hpp"
#include "port/configuring.hpp"

#include <fstream>
#include <stdexcept>

namespace farm {

node_config::node_config(const libpool::tls_files& files, std::size_t threads) {
  libpool::set_up(*this);
  libpool::load_network(*this);
  libpool::use_tls(*this, files);
  port::set_threads(*this, threads);
}

std::string token_in(const std::string& path) {
  std::ifstream in{path};
  std::string line;
  if (!std::getline(in, line) || line.empty())
    throw std::runtime_error(
      path + ": the first line must be the token, but is empty");
  return line;
}

} // namespace farm
