#include "sha256.hpp"

#include "open_file.hpp"

#include <cerrno>
#include <new>
#include <stdexcept>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <unistd.h>

namespace hash_tree {

namespace {

constexpr std::size_t chunk_size = std::size_t{256} * 1024;

using context_ptr = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

void require(int ok) {
  if (ok != 1)
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

context_ptr make_context() {
  auto* raw = EVP_MD_CTX_new();
  if (raw == nullptr)
    throw std::bad_alloc{};
  return {raw, EVP_MD_CTX_free};
}

} // namespace

running_digest::running_digest() : context_(make_context()) {
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void running_digest::add(const void* data, std::size_t size) {
  require(EVP_DigestUpdate(context_.get(), data, size));
}

digest running_digest::finish() {
  digest out;
  require(EVP_DigestFinal_ex(context_.get(), out.data(), nullptr));
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
  return out;
}

file_hasher::file_hasher() : chunk_(chunk_size) {}

file_digest file_hasher::hash(const std::string& path,
                              const std::atomic<bool>& stop,
                              std::atomic<std::uint64_t>& bytes_read) {
  file_digest out;
  if (stop) {
    out.error = ECANCELED;
    return out;
  }
  const open_file file{path};
  out.error = file.error();
  if (out.error != 0)
    return out;
  ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_SEQUENTIAL);
  out.error = read_all(file.fd(), out, stop, bytes_read);
  if (out.error != 0)
    running_.finish(); // drops the bytes of this file
  return out;
}

int file_hasher::read_all(int fd, file_digest& out,
                          const std::atomic<bool>& stop,
                          std::atomic<std::uint64_t>& bytes_read) {
  while (!stop) {
    const auto got = ::read(fd, chunk_.data(), chunk_.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (got == 0) {
      out.value = running_.finish();
      return 0;
    }
    const auto size = static_cast<std::size_t>(got);
    running_.add(chunk_.data(), size);
    out.size += size;
    bytes_read.fetch_add(size, std::memory_order_relaxed);
  }
  return ECANCELED;
}

void keep_openssl_until_the_end() {
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

} // namespace hash_tree
