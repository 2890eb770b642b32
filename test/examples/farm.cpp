/// The parts of the farm that need no other process.

#include "farm/account.hpp"
#include "farm/attendance.hpp"
#include "farm/content.hpp"
#include "farm/hashing.hpp"
#include "farm/options.hpp"

#include "support/scratch_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <vector>

namespace farm_tests {

using namespace farm;

namespace {

using lines = std::vector<std::string>;

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

TEST_CASE(
  "a file is read to its end, unless it is larger than the maximum size "
  "or not a regular file") {
  scratch_folder folder;
  folder.file("ten", "0123456789");
  CHECK(read_file(folder / "ten", 10).bytes == "0123456789");
  auto nine = read_file(folder / "ten", 9);
  CHECK(nine.error == EFBIG);
  CHECK(nine.bytes.empty());
  // Its size is unknown before.
  CHECK(read_file("/proc/self/smaps", 1U << 30U).bytes.size() > 4096);
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

TEST_CASE("the report on a tree states the files of each node, the files that "
          "the program hashed itself, lost files and failures") {
  account books;
  for (const char* node : {"b", "a", "b"})
    books.count({"path", {}, 1024, node});
  books.count({"path", {}, 2048, std::nullopt});
  result failed;
  failed.error = "no such file";
  books.count(failed);
  result skipped;
  skipped.skipped = true;
  books.count(skipped);
  CHECK(books.failed() == 1);
  CHECK(
    books.lines({3, 4, 1})
    == lines{
      "hashed 4 files, 5.0 KiB", "node a: 1 file, 1.0 KiB",
      "node b: 2 files, 2.0 KiB",
      "hashed by this program, too large to send: 1 file, 2.0 KiB",
      "files lost with a node: 3 hashed again, 1 not hashed, 4 losses in total",
      "failed: 1"});
}

TEST_CASE("each arrival and each departure of a node is reported once, also if "
          "it returns in another session") {
  attendance nodes;
  const node_glance a{1, "a", {"fast", "near"}, 4, 0};
  const node_glance b{2, "b", {}, 1, 0};
  const node_glance again{3, "b", {}, 1, 0};
  CHECK(nodes.update({}) == lines{"waiting for a node"});
  CHECK(nodes.update({}).empty());
  CHECK(nodes.update({a})
        == lines{"a node has joined: a, 4 slots, fast, near"});
  CHECK(nodes.update({a}).empty());
  CHECK(
    nodes.update({b})
    == lines{"a node has left or is lost: a", "a node has joined: b, 1 slot"});
  CHECK(
    nodes.update({again})
    == lines{"a node has left or is lost: b", "a node has joined: b, 1 slot"});
  CHECK(nodes.update({})
        == lines{"a node has left or is lost: b", "waiting for a node"});
}

TEST_CASE("the status line shows the totals, and the number of files in flight "
          "at each node") {
  const std::vector<node_glance> nodes{{1, "a", {}, 4, 8}, {2, "b", {}, 1, 2}};
  CHECK(render({12, 4096, 2}, nodes, 80)
        == "12 files  4.0 KiB  2.0 KiB/s  a: 8  b: 2");
  CHECK(render({12, 4096, 2}, nodes, 35)
        == "12 files  4.0 KiB  2.0 KiB/s  a: 8");
}

} // namespace farm_tests
