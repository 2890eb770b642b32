#include "address.hpp"

#include "unicode.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace pooltop {

namespace {

constexpr int secure_port = 443;
constexpr int usual_port = 80;

[[noreturn]] void refuse(const std::string& text, const char* why) {
  throw std::invalid_argument("'" + escaped(text) + "' " + why);
}

int port_in(const std::string& digits, const std::string& text) {
  const auto port = std::stoi(digits);
  if (port < 1 || port > 65535)
    refuse(text, "must have a port between 1 and 65535");
  return port;
}

std::string without_slashes_behind(std::string path) {
  path.erase(path.find_last_not_of('/') + 1);
  return path;
}

} // namespace

std::string address::authority() const {
  const auto is_v6 = host.find(':') != std::string::npos;
  const auto name = is_v6 ? '[' + host + ']' : host;
  const auto is_usual = port == (is_secure ? secure_port : usual_port);
  return is_usual ? name : name + ':' + std::to_string(port);
}

std::string address::text() const {
  return (is_secure ? "https://" : "http://") + authority() + path;
}

address read_address(const std::string& text) {
  static const std::regex form{
    R"((?:(https?)://)?(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?(/[!-~]*)?)"};
  std::smatch parts;
  if (text.size() > 2000 || !std::regex_match(text, parts, form))
    refuse(text.substr(0, 200),
           "is not an address such as http://127.0.0.1:8080");
  address result;
  result.is_secure = parts[1] == "https";
  result.host = parts[2].matched ? parts[2] : parts[3];
  result.port = result.is_secure ? secure_port : usual_port;
  if (parts[4].matched)
    result.port = port_in(parts[4], text);
  result.path = without_slashes_behind(parts[5]);
  if (result.path.find_first_of("?#") != std::string::npos)
    refuse(text, "must not have a query or a fragment");
  return result;
}

} // namespace pooltop
