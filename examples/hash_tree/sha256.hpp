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

/// The digest of one file, or its error.
struct file_digest {
  digest value{};
  /// Bytes read, which is the file's size unless it was changing.
  std::uint64_t size = 0;
  /// 0, or the errno that stopped it; `ECANCELED` if `stop` did.
  int error = 0;
};

/// SHA-256 of bytes that come piece by piece.
class running_digest {
public:
  running_digest();
  void add(const void* data, std::size_t size);
  /// The digest of everything added since the last one; starts anew.
  digest finish();

private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// Computes the SHA-256 of files. Keep one per thread: it owns the buffer and
/// OpenSSL's context, so that a file costs no allocation.
///
/// Cost: one `read` per 256 KiB, whatever the size of the file.
/// Errors: reported per file; a path that is no regular file by the time it is
/// opened (say, a FIFO took its place) is reported as vanished and not read.
class file_hasher {
public:
  file_hasher();

  /// Looks at `stop` between chunks and adds to `bytes_read` after each one.
  file_digest hash(const std::string& path, const std::atomic<bool>& stop,
                   std::atomic<std::uint64_t>& bytes_read);

private:
  int read_all(int fd, file_digest& out, const std::atomic<bool>& stop,
               std::atomic<std::uint64_t>& bytes_read);

  running_digest running_;
  std::vector<char> chunk_;
};

/// For `main`: threads of actors may still be ending when it returns. OpenSSL
/// must not clean up before they have, since its data of each thread would be
/// lost.
void keep_openssl_until_the_end();

} // namespace hash_tree
