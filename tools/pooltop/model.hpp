#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pooltop {

/// A number from the server; unset if the server did not send it.
using value = std::optional<double>;

/// Number of occurrences of each reason, the most frequent first.
using reasons = std::vector<std::pair<std::string, double>>;

/// A problem that the server reports, as a sentence.
struct finding {
  std::string sentence;
  bool loses_tasks = false; ///< Tasks are lost, not only slow.
};

/// A pool, worker, flow, node, pipeline or stage.
struct row {
  std::string name;  ///< escaped for a terminal
  std::string key;   ///< the name as the server has it
  std::string state; ///< of a worker
  /// Numbers by their names in JSON. Numbers of an object in the object have
  /// the names of both: `left.crashed`. The number of `true` is 1.
  std::map<std::string, double, std::less<>> numbers;

  /// Returns the number with that name.
  value operator[](std::string_view figure) const {
    const auto found = numbers.find(figure);
    return found == numbers.end() ? value{} : value{found->second};
  }
};

struct pool : row {
  std::string policy;
  std::vector<finding> matters; ///< the gravest first
  reasons refusals;
  reasons errors;
  std::vector<row> flows;
  std::vector<row> members;
  std::vector<row> nodes;
};

struct pipeline : row {
  std::vector<finding> matters;
  std::vector<row> stages;
};

/// State of a server's pools at one time. All texts but keys are escaped for a
/// terminal.
struct snapshot {
  std::string version;
  std::vector<pool> pools;
  std::vector<pipeline> pipelines;
  /// Whether the token allows to change pools.
  bool may_control = false;
};

} // namespace pooltop
