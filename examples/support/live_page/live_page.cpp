#include "live_page/live_page.hpp"

#include <CLI/CLI.hpp>

#ifdef LIBPOOL_HAS_LIVE
#  include "libpool/live/live_view.hpp"
#endif

namespace live_page {

#ifdef LIBPOOL_HAS_LIVE

struct page::view {
  explicit view(std::uint16_t port) : shown(options_for(port)) {
    // nop
  }

  static libpool::live_options options_for(std::uint16_t port) {
    libpool::live_options result;
    result.port = port;
    return result;
  }

  libpool::live_view shown;
};

/// A flag, so that it takes no path for the port.
void describe(CLI::App& app, wanted& out) {
  constexpr auto highest_port = 65'535;
  app
    .add_flag("--live{0}", out,
              "Show the pool meanwhile, as a page for a browser; "
              "--live=PORT says where on this machine")
    ->check(CLI::Range(0, highest_port));
}

page::page(const wanted& where,
           const std::function<void(const std::string&)>& tell) {
  if (!where)
    return;
  view_ = std::make_unique<view>(*where);
  tell("see " + view_->shown.url());
}

void page::add(const caf::actor& pool, const std::string& name) {
  if (view_ != nullptr)
    view_->shown.add(pool, name);
}

void page::add_pipeline(const caf::actor& pipeline, const std::string& name) {
  if (view_ != nullptr)
    view_->shown.add_pipeline(pipeline, name);
}

wanted page::port() const {
  return view_ == nullptr ? wanted{} : wanted{view_->shown.port()};
}

#else // the program is built without libpool::live

struct page::view {};

void describe(CLI::App&, wanted&) {
  // nop: there is no such option
}

page::page(const wanted&, const std::function<void(const std::string&)>&) {
  // nop
}

void page::add(const caf::actor&, const std::string&) {
  // nop
}

void page::add_pipeline(const caf::actor&, const std::string&) {
  // nop
}

wanted page::port() const {
  return {};
}

#endif

page::~page() = default;

} // namespace live_page
