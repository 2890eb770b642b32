#include "account.hpp"

#include "hash_tree/format.hpp"

namespace farm {

namespace {

std::string in_words(const account::share& what) {
  return std::to_string(what.files) + (what.files == 1 ? " file, " : " files, ")
         + hash_tree::human_bytes(static_cast<double>(what.bytes));
}

void add(account::share& to, const result& what) {
  ++to.files;
  to.bytes += what.size;
}

} // namespace

void account::count(const result& of) {
  if (of.skipped)
    return;
  if (!of.error.empty()) {
    ++failed_;
    return;
  }
  add(all_, of);
  add(of.node ? nodes_[*of.node] : front_, of);
}

std::vector<std::string> account::lines(const losses& lost) const {
  std::vector<std::string> out{"hashed " + in_words(all_)};
  for (const auto& [name, done] : nodes_)
    out.push_back("node " + hash_tree::printable(name) + ": " + in_words(done));
  if (front_.files > 0)
    out.push_back("the front itself, too big to travel: " + in_words(front_));
  out.push_back("lost with a node: " + std::to_string(lost.files_repeated)
                + " hashed again, in " + std::to_string(lost.repetitions)
                + " repetitions, " + std::to_string(lost.files_lost)
                + " given up");
  if (failed_ > 0)
    out.push_back("failed: " + std::to_string(failed_));
  return out;
}

} // namespace farm
