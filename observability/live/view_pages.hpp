#pragma once

#include "libpool/observability/live/access.hpp"
#include "libpool/observability/live/exposition.hpp"
#include "libpool/observability/live/reply.hpp"
#include "libpool/observability/live/request.hpp"
#include "libpool/observability/live/sampler.hpp"
#include "libpool/observability/live/seats.hpp"
#include "libpool/observability/live/watched.hpp"

#include <memory>
#include <string>

namespace libpool::live {

/// Answers the requests for all addresses of a view.
///
/// Threads: one.
class view_pages {
public:
  /// @pre `shown` and `metrics` outlive this object
  view_pages(const live_options& options, watched& shown, exposition& metrics);

  reply operator()(const request& of);

  /// Keeps a summary of the pools for later viewers, while all seats of viewers
  /// are free. To be called once a second.
  void keep();

private:
  using answer = void (view_pages::*)(const request&, reply&);

  struct address {
    const char* path;
    answer how;
  };

  void answer_to(const request& of, reply& to);
  static const address* find(const std::string& path);
  bool lets_in(const request& of, reply& to) const;
  void page(const request& of, reply& to);
  void events(const request& of, reply& to);
  void pools(const request& of, reply& to);
  void recent(const request& of, reply& to);
  void trace(const request& of, reply& to);
  void gantt(const request& of, reply& to);
  void guide(const request& of, reply& to);
  void metrics(const request& of, reply& to);
  void control(const request& of, reply& to);

  reply_part next_event(const request& of);
  std::string state_for(const request& of);
  std::shared_ptr<watched_pool> asked_pool(const request& of, reply& to);
  std::shared_ptr<watched_pool> pool_to_send(const request& of, reply& to);

  const access access_;
  watched& shown_;
  exposition& metrics_;
  seats viewers_;
  seats downloads_;
  sampler sampler_;
};

} // namespace libpool::live
