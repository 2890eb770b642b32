#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace hash_tree {

/// A file or a failure that a walk comes across.
struct found {
  enum class kind {
    regular, ///< a file to hash
    failed,  ///< cannot be looked into, see `error`
    special, ///< named by the user, but a device, FIFO or socket
  };
  std::string path;
  kind is = kind::regular;
  /// The errno of a failure.
  int error = 0;
};

/// The size of a file; 0 if that cannot be told: opening it will say why.
std::uint64_t size_of(const std::string& path);

/// The files and folders that a walk with `--follow` has visited, so that a
/// file with several links to it is visited once, and a link that leads back up
/// ends there.
///
/// Two hard links are two files, as they are without `--follow`: a file with
/// more than one of them is known by its real path, any other by its inode.
/// Cost: about 50 bytes per file, about 150 for one with hard links.
class visited {
public:
  /// Whether this is the first visit. A file that cannot be looked at counts
  /// as new: opening it will say why.
  bool first_visit_of_file(const std::string& path);
  bool first_visit_of_directory(const std::string& path);

private:
  struct inode {
    dev_t device;
    ino_t number;
    bool operator==(const inode& other) const {
      return device == other.device && number == other.number;
    }
  };
  struct inode_hash {
    std::size_t operator()(const inode& x) const;
  };

  std::unordered_set<inode, inode_hash> inodes_;
  std::set<std::string> real_paths_;
};

/// The files under one path the user named, in the order of their full paths,
/// bytewise. Lazy: holds the names of the directories on the way down, and
/// nothing of the rest.
///
/// Order: a directory sorts as its name with a slash, hence `a.txt` before
/// `a/b` before `a0`. Nothing is opened before the first `advance`.
class tree {
public:
  /// `seen` is null if links are not followed.
  tree(std::string path, visited* seen);

  /// Nothing that comes is smaller than this; once started, the current path.
  const std::string& position() const {
    return current_.path;
  }
  bool started() const {
    return started_;
  }
  const found& current() const {
    return current_;
  }

  /// Moves on; false at the end.
  bool advance();

private:
  struct entry {
    std::string name; ///< of a directory: with a slash at the end
    int error;
    bool is_directory() const {
      return name.back() == '/';
    }
  };
  /// The directory's names that are still to come are `entries[next]` on.
  struct level {
    std::string prefix;
    std::vector<entry> entries;
    std::size_t next;
  };

  bool start();
  bool arrive(std::string path, found::kind kind, int error = 0);
  /// True if there is something to report instead: it cannot be read.
  bool descend(std::string path);
  bool visit(const std::string& prefix, const entry& item);
  int list(const std::string& directory, std::vector<entry>& out) const;
  void classify(const std::string& directory, const char* name,
                unsigned char type, std::vector<entry>& out) const;

  visited* seen_;
  found current_;
  std::vector<level> levels_;
  bool started_ = false;
};

} // namespace hash_tree
