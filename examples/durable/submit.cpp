#include "submit.hpp"

#include <filesystem>
#include <istream>
#include <string>

namespace durable {

namespace {

void submit_one(broker& to, const std::string& path, submitted& out) {
  ++out.all;
  if (to.submit(std::filesystem::absolute(path).string()))
    ++out.fresh;
}

} // namespace

submitted submit(broker& to, const submit_options& options,
                 std::istream& input) {
  submitted out;
  for (const auto& path : options.paths)
    submit_one(to, path, out);
  if (options.paths.empty())
    for (std::string line; std::getline(input, line);)
      submit_one(to, line, out);
  return out;
}

} // namespace durable
