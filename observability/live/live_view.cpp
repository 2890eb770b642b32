#include "libpool/observability/live/live_view.hpp"

#include "libpool/observability/live/access.hpp"
#include "libpool/observability/live/exposition.hpp"
#include "libpool/observability/live/http_server.hpp"
#include "libpool/observability/live/view_pages.hpp"
#include "libpool/observability/live/watched.hpp"

#include <functional>

namespace libpool {

class live_view::parts {
public:
  explicit parts(const live_options& options)
    : options_(options),
      pages_(options, shown_, metrics_),
      server_(options.address, options.port, options.most_viewers + most_others,
              std::ref(pages_), [this] { pages_.keep(); }) {
    // nop
  }

  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  ~parts() {
    shown_.stop_recording();
  }

  void add(const caf::actor& pool, const std::string& name) {
    shown_.add(pool, name, options_.recorded);
    metrics_.add(pool, name);
  }

  void add_pipeline(const caf::actor& pipeline, const std::string& name) {
    shown_.add_pipeline(pipeline, name);
    metrics_.add_pipeline(pipeline, name);
  }

  std::uint16_t port() const noexcept {
    return server_.port();
  }

  std::string url() const {
    return "http://" + live::in_url(options_.address) + ':'
           + std::to_string(port()) + '/';
  }

private:
  /// Connections for requests that end, also while all viewers look.
  static constexpr std::size_t most_others = 8;

  const live_options options_;
  live::watched shown_;
  live::exposition metrics_;
  live::view_pages pages_;
  live::http_server server_; // ends first
};

live_view::live_view(const live_options& options)
  : parts_(std::make_unique<parts>(options)) {
  // nop
}

live_view::~live_view() = default;

std::uint16_t live_view::port() const noexcept {
  return parts_->port();
}

std::string live_view::url() const {
  return parts_->url();
}

void live_view::add(const pool_ref& pool, const std::string& name) {
  parts_->add(pool.handle(), name);
}

void live_view::add_pipeline(const caf::actor& pipeline,
                             const std::string& name) {
  parts_->add_pipeline(pipeline, name);
}

} // namespace libpool
