#include "walk.hpp"

#include <algorithm>

namespace hash_tree {

namespace {

bool comes_later(const tree& x, const tree& y) {
  return x.position() > y.position();
}

/// `sha256sum -c` takes the name "-" for standard input, so a file of that
/// name is listed as "./-".
std::string spelled_out(const std::string& path) {
  return path == "-" ? "./-" : path;
}

} // namespace

walk::walk(const std::vector<std::string>& paths, bool follow)
  : follow_(follow) {
  heap_.reserve(paths.size());
  for (const auto& path : paths)
    push(tree{spelled_out(path), follow_ ? &seen_ : nullptr});
}

std::optional<found> walk::next() {
  while (!heap_.empty()) {
    auto front = pop();
    std::optional<found> item;
    if (front.started())
      item = front.current();
    if (front.advance())
      push(std::move(front));
    if (item && is_new(*item))
      return item;
  }
  return std::nullopt;
}

void walk::push(tree t) {
  heap_.push_back(std::move(t));
  std::push_heap(heap_.begin(), heap_.end(), comes_later);
}

tree walk::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), comes_later);
  auto top = std::move(heap_.back());
  heap_.pop_back();
  return top;
}

bool walk::is_new(const found& item) {
  if (any_ && item.path == last_)
    return false;
  any_ = true;
  last_ = item.path;
  return !follow_ || item.is != found::kind::regular
         || seen_.first_visit_of_file(item.path);
}

} // namespace hash_tree
