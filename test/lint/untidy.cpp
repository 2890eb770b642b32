// Not compiled. Each line that ends with the name of a check has a mistake that
// clang-tidy finds by this check; ./dev check fails otherwise.

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

int* outside_of_namespaces() {
  return 0; // modernize-use-nullptr
}

namespace std {

template <>
struct hash<vector<int>> {
  void* operator()(const vector<int>&) const {
    return 0; // modernize-use-nullptr
  }
};

} // namespace std

namespace {

template <class T>
T in_a_template(T x) {
  auto y = std::move(x);
  return x; // bugprone-use-after-move
}

bool in_a_lambda(const std::vector<std::string>& all) {
  return std::any_of(all.begin(), all.end(), [](const auto& each) {
    int length; // cppcoreguidelines-init-variables
    length = 0;
    return length == 0 && in_a_template(each).empty();
  });
}

} // namespace
