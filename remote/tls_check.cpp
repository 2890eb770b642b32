#include "libpool/remote/tls_check.hpp"

#include "libpool/actors/error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

namespace libpool {

namespace {

using context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

caf::error insecure(const std::string& why) {
  return make_error(errc::insecure, why);
}

std::string names_of_missing(const tls_files& files) {
  std::string result;
  auto look_at = [&result](const std::string& file, const char* name) {
    if (file.empty())
      result += (result.empty() ? "" : ", ") + std::string{name};
  };
  look_at(files.certificate, "certificate");
  look_at(files.key, "key");
  look_at(files.ca, "ca");
  return result;
}

/// Takes OpenSSL's errors out of its list, of which the first says most.
std::string openssl_error() {
  std::array<char, 256> text{"unknown error"};
  if (auto code = ERR_get_error())
    ERR_error_string_n(code, text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

int give_passphrase(char* to, int size, int, void* from) {
  auto& text = *static_cast<const std::string*>(from);
  if (text.size() >= static_cast<std::size_t>(size))
    return -1;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return static_cast<int>(text.size());
}

/// The first of the files that OpenSSL cannot use, and why; empty if none.
std::string try_out(SSL_CTX* tls, tls_files files) {
  auto told = [](const char* name, const std::string& file) {
    return std::string{"the "} + name + " '" + file
           + "' cannot be used: " + openssl_error();
  };
  if (SSL_CTX_use_certificate_chain_file(tls, files.certificate.c_str()) != 1)
    return told("certificate", files.certificate);
  // Otherwise OpenSSL would ask at the terminal.
  SSL_CTX_set_default_passwd_cb(tls, give_passphrase);
  SSL_CTX_set_default_passwd_cb_userdata(tls, &files.passphrase);
  if (SSL_CTX_use_PrivateKey_file(tls, files.key.c_str(), SSL_FILETYPE_PEM)
      != 1)
    return told("key", files.key);
  if (SSL_CTX_load_verify_locations(tls, files.ca.c_str(), nullptr) != 1)
    return told("ca", files.ca);
  return {};
}

} // namespace

caf::error objection_to(const tls_files& files) {
  auto missing = names_of_missing(files);
  if (!missing.empty())
    return insecure("files for TLS are missing, pass them to use_tls: "
                    + missing);
  ERR_clear_error();
  context tls{SSL_CTX_new(TLS_method()), SSL_CTX_free};
  if (tls == nullptr)
    return insecure("TLS is not available: " + openssl_error());
  auto why = try_out(tls.get(), files);
  return why.empty() ? caf::error{} : insecure(why);
}

} // namespace libpool
