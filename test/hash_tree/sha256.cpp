#include "hash_tree/sha256.hpp"

#include "hash_tree/format.hpp"
#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace hash_tree_sha256_tests {

using namespace hash_tree;

namespace {

// FIPS 180-4 and the usual test vectors.
constexpr auto of_nothing =
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto of_abc =
  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto of_a_million_a =
  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

struct fixture {
  scratch_folder folder;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> bytes_read{0};
  file_hasher hasher;

  file_digest hash(const std::string& name) {
    return hasher.hash(folder / name, stop, bytes_read);
  }
};

} // namespace

TEST_CASE_FIXTURE(
  fixture, "digests of files agree with the examples of the SHA-256 standard") {
  folder.file("nothing");
  folder.file("abc", "abc");
  folder.file("million", std::string(1000000, 'a'));
  CHECK(hex(hash("nothing").value) == of_nothing);
  CHECK(hex(hash("abc").value) == of_abc);
  const auto million = hash("million");
  CHECK(hex(million.value) == of_a_million_a);
  CHECK(million.size == 1000000);
  CHECK(bytes_read == 1000003);
}

TEST_CASE_FIXTURE(
  fixture, "a failure states its reason, and does not affect the next digest") {
  folder.file("abc", "abc");
  CHECK(hash("missing").error == ENOENT);
  CHECK(hex(hash("abc").value) == of_abc);
}

TEST_CASE_FIXTURE(fixture, "files that are not regular are not read") {
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(hash("fifo").error == ENOENT);
  CHECK(hash("").error == ENOENT); // the folder
}

TEST_CASE_FIXTURE(fixture,
                  "after a stop request, a hasher reads no bytes of a file") {
  folder.file("abc", "abc");
  stop = true;
  CHECK(hash("abc").error == ECANCELED);
  CHECK(bytes_read == 0);
}

TEST_CASE_FIXTURE(fixture,
                  "a hasher that is stopped midway discards what it has read") {
  folder.file("abc", "abc");
  folder.file("huge");
  REQUIRE(::truncate((folder / "huge").c_str(), off_t{1} << 40) == 0);
  std::thread stopper{[this] {
    while (bytes_read == 0)
      std::this_thread::yield();
    stop = true;
  }};
  CHECK(hash("huge").error == ECANCELED);
  stopper.join();
  stop = false;
  CHECK(hex(hash("abc").value) == of_abc);
}

TEST_CASE("a running digest that has returned its result begins a new digest") {
  running_digest d;
  d.add("ab", 2);
  d.add("c", 1);
  CHECK(hex(d.finish()) == of_abc);
  CHECK(hex(d.finish()) == of_nothing);
}

} // namespace hash_tree_sha256_tests
