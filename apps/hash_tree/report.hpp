#pragma once

#include "compare.hpp"
#include "results.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace hash_tree {

/// Writes results to a file as JSON, one after the other as they come, so that
/// many of them need no memory:
///
/// ~~~
/// {"files": [{"path": "a", "size": 3, "sha256": "…"},
///            {"path": "b", "error": "Permission denied"}],
///  "totals": {"files": 1, "bytes": 3, "errors": 1},
///  "interrupted": false,
///  "compare": {…}}
/// ~~~
///
/// A name that is not UTF-8 has U+FFFD in `path` for what is not, and an
/// additional `path_hex` with all its bytes. `interrupted`: there was more to
/// do. `compare` is there if asked for.
///
/// Errors: every function may throw std::system_error with the errno; what has
/// been written so far is then no valid JSON.
class json_report {
public:
  /// Creates the file.
  explicit json_report(const std::string& path);

  void add(const result& result);

  /// Completes the file. `table` may be null.
  void close(const totals& sums, bool interrupted, const comparison* table);

private:
  void write(const std::string& text);

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool first_ = true;
};

} // namespace hash_tree
