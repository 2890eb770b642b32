/// The parts of the farm that need no other process.

#include "farm/account.hpp"
#include "farm/attendance.hpp"
#include "farm/content.hpp"
#include "farm/hashing.hpp"
#include "farm/options.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace farm_tests {

using namespace farm;

namespace {

using lines = std::vector<std::string>;

result hashed(std::uint64_t size, std::optional<std::string> node) {
  return {"path", {}, size, std::move(node)};
}

result failed() {
  result out;
  out.error = "no such file";
  return out;
}

} // namespace

TEST_CASE("an address of a server is a scheme, a host, a colon and a port") {
  CHECK_NOTHROW(check_server("tls://10.0.0.1:4711", "tls"));
  CHECK_NOTHROW(check_server("tls://[::1]:80", "tls"));
  CHECK_NOTHROW(check_server("nats://localhost:80", "nats"));
  CHECK_THROWS_AS(check_server("nats://localhost:80", "tls"),
                  std::invalid_argument);
  CHECK_THROWS_AS(check_server("localhost:80", "tls"), std::invalid_argument);
  for (std::string wrong : {"", ":", "host", "host:", ":80", "host:0", "host:x",
                            "host:80x", "host:65536", "[]:80", "host:80/x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(check_server("tls://" + wrong, "tls"),
                    std::invalid_argument);
  }
}

TEST_CASE("the certificate of a program has the program's name") {
  auto where = pool_at({{"tls://a:1"}, "folder", "one"}).by;
  CHECK(where.servers == std::vector<std::string>{"tls://a:1"});
  CHECK(where.ca == "folder/ca.pem");
  CHECK(where.certificate == "folder/one.pem");
  CHECK(where.key == "folder/one.key");
  CHECK(!where.insecure_loopback);
}

TEST_CASE("a program without certificates does not use TLS") {
  CHECK(pool_at({{"nats://127.0.0.1:1"}, "", "one"}).by.insecure_loopback);
}

TEST_CASE("a file that is larger than the maximum size is not read") {
  scratch_folder folder;
  folder.file("ten", "0123456789");
  CHECK(read_file(folder / "ten", 10).bytes == "0123456789");
  CHECK(read_file(folder / "ten", 10).error == 0);
  auto nine = read_file(folder / "ten", 9);
  CHECK(nine.error == EFBIG);
  CHECK(nine.bytes.empty());
}

TEST_CASE("a file whose size is unknown is read to its end") {
  auto all = read_file("/proc/self/smaps", 1U << 30U);
  CHECK(all.error == 0);
  CHECK(all.bytes.size() > 4096);
}

TEST_CASE("a path that is not a regular file is an error") {
  scratch_folder folder;
  CHECK(read_file(folder / "missing", 10).error == ENOENT);
  CHECK(read_file(folder / "", 10).error == ENOENT);
  CHECK(read_file("/dev/zero", 10).error == ENOENT);
}

TEST_CASE("a file that is read again has the same id unless it was changed") {
  scratch_folder folder;
  folder.file("one", "0123456789");
  const auto path = folder / "one";
  const auto first = read_file(path, 10);
  CHECK(first.changed_at > 0);
  CHECK(id_of(path, first) == id_of(path, read_file(path, 10)));
  CHECK(id_of(path, first).size() == 64);
  CHECK(id_of(path, first) != id_of(folder / "other", first));
  auto later = first;
  ++later.changed_at;
  CHECK(id_of(path, first) != id_of(path, later));
  auto in_same_tick = first;
  in_same_tick.bytes.back() = '0';
  CHECK(id_of(path, first) != id_of(path, in_same_tick));
}

TEST_CASE("a digest that is sent as bytes can be read back from the bytes") {
  hash_tree::digest value{};
  value[0] = 1;
  value[31] = 255;
  CHECK(digest_in(bytes_of(value)) == value);
  CHECK_THROWS_AS(digest_in("short"), std::invalid_argument);
}

TEST_CASE("the report on a tree of files states the number and the size of the "
          "files that each node hashed") {
  account books;
  books.count(hashed(1024, "b"));
  books.count(hashed(1024, "a"));
  books.count(hashed(1024, "b"));
  CHECK(books.lines({})
        == lines{"hashed 3 files, 3.0 KiB", "node a: 1 file, 1.0 KiB",
                 "node b: 2 files, 2.0 KiB",
                 "files lost with a node: 0 hashed again, 0 not hashed, 0 "
                 "losses in total"});
}

TEST_CASE("the report states the files that the program hashed itself, the "
          "files lost with nodes, and the failures") {
  account books;
  books.count(hashed(2048, std::nullopt));
  books.count(failed());
  result skipped;
  skipped.skipped = true;
  books.count(skipped);
  CHECK(books.failed() == 1);
  CHECK(
    books.lines({3, 4, 1})
    == lines{
      "hashed 1 file, 2.0 KiB",
      "hashed by this program, too large to send: 1 file, 2.0 KiB",
      "files lost with a node: 3 hashed again, 1 not hashed, 4 losses in total",
      "failed: 1"});
}

TEST_CASE("each arrival and each departure of a node is reported once") {
  attendance nodes;
  CHECK(nodes.update({}) == lines{"waiting for a node"});
  CHECK(nodes.update({}).empty());
  node_glance a{1, "a", {"fast", "near"}, 4, 0};
  node_glance b{2, "b", {}, 1, 0};
  CHECK(nodes.update({a})
        == lines{"a node has joined: a, 4 slots, fast, near"});
  CHECK(nodes.update({a}).empty());
  CHECK(
    nodes.update({b})
    == lines{"a node has left or is lost: a", "a node has joined: b, 1 slot"});
  CHECK(nodes.update({})
        == lines{"a node has left or is lost: b", "waiting for a node"});
}

TEST_CASE(
  "a node that returns in another session is reported as gone and as joined") {
  attendance nodes;
  nodes.update({{1, "a", {}, 1, 0}});
  CHECK(
    nodes.update({{2, "a", {}, 1, 0}})
    == lines{"a node has left or is lost: a", "a node has joined: a, 1 slot"});
}

TEST_CASE("the status line shows the totals, and the number of files in flight "
          "at each node") {
  std::vector<node_glance> nodes{{1, "a", {}, 4, 8}, {2, "b", {}, 1, 2}};
  CHECK(render({12, 4096, 2}, nodes, 80)
        == "12 files  4.0 KiB  2.0 KiB/s  a: 8  b: 2");
  CHECK(render({12, 4096, 2}, nodes, 35)
        == "12 files  4.0 KiB  2.0 KiB/s  a: 8");
  CHECK(render({12, 4096, 2}, nodes, 8) == "12 files");
  CHECK(render({}, {}, 80) == "0 files  0 B  0 B/s");
}

} // namespace farm_tests
