#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tree.hpp"

namespace hash_tree {

/// The regular files under all the paths that the user named, in the bytewise
/// order of their full paths, over all of them together.
///
/// A path that is itself a link is followed, links below only with `follow`.
/// Every path comes once, also if the user named it twice or named a directory
/// and something inside it. Two spellings (`d` and `./d`) are two paths, except
/// with `follow`, which visits each file once.
///
/// Cost: memory for the names in one directory per level of depth, and with
/// `follow` what `visited` says.
class walk {
public:
  walk(const std::vector<std::string>& paths, bool follow);

  walk(const walk&) = delete;
  walk& operator=(const walk&) = delete;

  /// The next file, or a failure in its place; empty at the end.
  std::optional<found> next();

private:
  void push(tree t);
  tree pop();
  bool is_new(const found& item);

  visited seen_;
  bool follow_;
  std::string last_;
  bool any_ = false;
  std::vector<tree> heap_; ///< smallest position on top
};

} // namespace hash_tree
