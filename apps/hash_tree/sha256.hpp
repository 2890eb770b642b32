#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <openssl/evp.h>

namespace hash_tree {

using digest = std::array<std::uint8_t, 32>;

/// Digest of one file, or the error.
struct file_digest {
  digest value{};
  /// Number of bytes read: the size of the file, unless the file was changing.
  std::uint64_t size = 0;
  /// 0, or the errno of the failure; `ECANCELED` after `stop`.
  int error = 0;
};

/// SHA-256 of bytes that come piece by piece.
class running_digest {
public:
  running_digest();
  void add(const void* data, std::size_t size);
  /// Returns the digest of all bytes that were added since the last call.
  digest finish();

private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// Computes the SHA-256 of files. Use one hasher for each thread: it owns the
/// buffer and OpenSSL's context, so that a file needs no allocation.
///
/// Cost: one `read` for each 256 KiB, for any size of the file.
/// Errors: reported for each file. A path that is not a regular file when it is
///         opened, such as a FIFO that has replaced the file, is reported as
///         vanished, and is not read.
class file_hasher {
public:
  file_hasher();

  /// Hashes a file. Checks `stop` between chunks, and adds to `bytes_read`
  /// after each one.
  file_digest hash(const std::string& path, const std::atomic<bool>& stop,
                   std::atomic<std::uint64_t>& bytes_read);

private:
  int read_all(int fd, file_digest& out, const std::atomic<bool>& stop,
               std::atomic<std::uint64_t>& bytes_read);

  running_digest running_;
  std::vector<char> chunk_;
};

/// Delays OpenSSL's cleanup, for `main`: threads of actors may still be ending
/// when `main` returns, and OpenSSL must not clean up before, since its data of
/// each thread would be lost.
void keep_openssl_until_the_end();

} // namespace hash_tree
