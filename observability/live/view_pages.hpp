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

  reply operator()(const request& request);

  /// Keeps a summary of the pools for later viewers, while all seats of viewers
  /// are free. To be called once a second.
  void keep();

private:
  using answer = void (view_pages::*)(const request&, reply&);

  struct address {
    const char* path;
    answer handler;
  };

  void answer_to(const request& request, reply& reply);
  static const address* find(const std::string& path);
  bool lets_in(const request& request, reply& reply) const;
  void page(const request& request, reply& reply);
  void events(const request& request, reply& reply);
  void pools(const request& request, reply& reply);
  void recent(const request& request, reply& reply);
  void trace(const request& request, reply& reply);
  void gantt(const request& request, reply& reply);
  void guide(const request& request, reply& reply);
  void metrics(const request& request, reply& reply);
  void failed(const request& request, reply& reply);
  void control(const request& request, reply& reply);

  reply_part next_event(const request& request);
  std::string state_for(const request& request);
  std::shared_ptr<watched_pool> asked_pool(const request& request,
                                           reply& reply);
  std::shared_ptr<watched_pool> pool_to_send(const request& request,
                                             reply& reply);

  const access access_;
  watched& shown_;
  exposition& metrics_;
  seats viewers_;
  seats downloads_;
  sampler sampler_;
};

} // namespace libpool::live
