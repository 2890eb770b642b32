#include "live_page/live_page.hpp"

#ifdef LIBPOOL_HAS_LIVE
#  include "libpool/observability/live/live_view.hpp"
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
