#pragma once

#include <caf/actor.hpp>

#include <memory>
#include <optional>
#include <string>

namespace libpool::live {

/// Metrics of the pools and pipelines of a view, if libpool::metrics is built.
class exposition {
public:
  exposition();
  exposition(const exposition&) = delete;
  exposition& operator=(const exposition&) = delete;
  ~exposition();

  void add(const caf::actor& pool, const std::string& name);
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Returns the metrics in the format of Prometheus; unset without
  /// libpool::metrics.
  std::optional<std::string> text() const;

private:
  struct collector;
  std::unique_ptr<collector> collector_;
};

} // namespace libpool::live
