#include "live_page/live_page.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <system_error>

#ifdef LIBPOOL_HAS_LIVE
#  include "libpool/live/live_view.hpp"
#endif

namespace live_page {

#ifdef LIBPOOL_HAS_LIVE

namespace {

std::uint16_t port_in(const std::string& text) {
  std::uint16_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  if (text != "any" && (read.ec != std::errc{} || read.ptr != end))
    throw CLI::ValidationError("the port must be between 0 and 65535, got '"
                               + text + "'");
  return result;
}

} // namespace

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

/// A flag, so that it takes no path for the port: "any" is one without a value.
void describe(CLI::App& app, wanted& out) {
  app
    .add_flag("--live{any}", "Show the pool on a web page while the program "
                             "runs; --live=PORT chooses the port")
    ->each([&out](const std::string& port) { out = port_in(port); });
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
