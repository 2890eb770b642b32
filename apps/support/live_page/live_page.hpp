#pragma once

#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace live_page {

/// The port of the page that a program shows of its pools; 0: any; none: it
/// shows no page.
using wanted = std::optional<std::uint16_t>;

/// Whether the program can show a page.
#ifdef LIBPOOL_HAS_LIVE
constexpr bool is_built = true;
#else
constexpr bool is_built = false;
#endif

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
