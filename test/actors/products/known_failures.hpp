#pragma once

#include <string>
#include <vector>

namespace products {

/// Features that break a law together, and why. Violations with these words are
/// put up with where all these features are; but where they do not come of the
/// example any more, the test fails until the entry is gone.
struct known_failure {
  std::string features;
  std::string example; // other features, where that takes more
  std::string words;
  std::string reason;
};

const std::vector<known_failure>& known_failures();

} // namespace products
