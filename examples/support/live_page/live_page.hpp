#pragma once

#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace CLI {

class App;

} // namespace CLI

namespace live_page {

/// The port of the page that a program shows of its pools; 0: any; none: it
/// shows no page.
using wanted = std::optional<std::uint16_t>;

/// Adds `--live[=PORT]` to the options, where the program can show a page.
void describe(CLI::App& app, wanted& out);

/// The page, at an address of this machine, until this object ends: before the
/// actor system does.
class page {
public:
  /// `tell` is called with a line that says where the page is.
  ///
  /// Errors: std::runtime_error if the port cannot be had.
  page(const wanted& where,
       const std::function<void(const std::string&)>& tell);

  page(const page&) = delete;
  page& operator=(const page&) = delete;
  ~page();

  /// Shows the pool; nothing if no page is wanted.
  void add(const caf::actor& pool, const std::string& name);
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

  /// Where it is; none if it is nowhere.
  wanted port() const;

private:
  struct view;
  std::unique_ptr<view> view_;
};

} // namespace live_page
