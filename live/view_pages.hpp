#pragma once

#include "libpool/live/access.hpp"
#include "libpool/live/end_signal.hpp"
#include "libpool/live/exposition.hpp"
#include "libpool/live/sampler.hpp"
#include "libpool/live/viewers.hpp"
#include "libpool/live/watched.hpp"

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace libpool::live {

/// Answers the requests for all addresses of a view.
///
/// Threads: any, except for `listens_at`.
class view_pages {
public:
  /// @pre `shown` and `metrics` outlive this object
  view_pages(const live_options& options, watched& shown, exposition& metrics);

  /// Sets the port. All requests are rejected before.
  void listens_at(std::uint16_t port) {
    port_ = port;
  }

  void operator()(const httplib::Request& of, httplib::Response& to);

  /// Ends all event streams.
  void end() {
    end_.give();
  }

private:
  using request = httplib::Request;
  using response = httplib::Response;
  using answer = void (view_pages::*)(const request&, response&);

  struct address {
    const char* path;
    answer how;
  };

  static const address* find(const std::string& path);
  bool lets_in(const request& of, response& to) const;
  void page(const request& of, response& to);
  void events(const request& of, response& to);
  void pools(const request& of, response& to);
  void recent(const request& of, response& to);
  void trace(const request& of, response& to);
  void gantt(const request& of, response& to);
  void guide(const request& of, response& to);
  void metrics(const request& of, response& to);
  void control(const request& of, response& to);

  bool send_next(httplib::DataSink& to, std::uint64_t& last);
  std::shared_ptr<watched_pool> asked_pool(const request& of, response& to);

  const access access_;
  watched& shown_;
  exposition& metrics_;
  viewers viewers_;
  sampler sampler_;
  end_signal end_;
  std::atomic<std::uint16_t> port_{0};
};

} // namespace libpool::live
