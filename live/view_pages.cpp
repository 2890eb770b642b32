#include "libpool/live/view_pages.hpp"

#include "libpool/live/guide.hpp"
#include "libpool/live/page.hpp"
#include "libpool/live/pictures.hpp"
#include "libpool/live/pool_command.hpp"
#include "libpool/live/reply.hpp"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace libpool::live {

namespace {

/// Whether a browser sends the request for a page of another site, unless the
/// user has followed a link.
bool is_for_another_page(const httplib::Request& request) {
  return request.get_header_value("Sec-Fetch-Site") == "cross-site"
         && request.get_header_value("Sec-Fetch-Mode") != "navigate";
}

bool only_reads(const httplib::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

constexpr std::string_view pools_path = "/api/v1/pools/";

} // namespace

view_pages::view_pages(const live_options& options, watched& shown,
                       exposition& metrics)
  : access_(options),
    shown_(shown),
    metrics_(metrics),
    viewers_(options.most_viewers),
    sampler_(shown) {
  // nop
}

const view_pages::address* view_pages::find(const std::string& path) {
  static constexpr std::array<address, 8> addresses{
    {{"/", &view_pages::page},
     {"/events", &view_pages::events},
     {"/api/v1/pools", &view_pages::pools},
     {"/api/v1/recent", &view_pages::recent},
     {"/trace", &view_pages::trace},
     {"/gantt.svg", &view_pages::gantt},
     {"/guide", &view_pages::guide},
     {"/metrics", &view_pages::metrics}}};
  for (const auto& each : addresses)
    if (path == each.path)
      return &each;
  return nullptr;
}

void view_pages::operator()(const request& of, response& to) {
  set_usual_headers(to);
  if (!lets_in(of, to))
    return;
  if (of.path.rfind(pools_path, 0) == 0)
    return control(of, to);
  const auto* found = find(of.path);
  if (found == nullptr)
    return say(to, 404, "the server has no page at this address");
  if (!only_reads(of))
    return refuse_method(to, "GET, HEAD");
  (this->*found->how)(of, to);
}

bool view_pages::lets_in(const request& of, response& to) const {
  if (!access_.is_for(of, port_)) {
    say(to, 403,
        "the request names another host: use 127.0.0.1 or localhost, and the "
        "port of this server");
    return false;
  }
  if (is_for_another_page(of)) {
    say(to, 403, "requests from pages of other sites are not allowed");
    return false;
  }
  if (!access_.may_look(of)) {
    to.set_header("WWW-Authenticate", "Basic realm=\"libpool\"");
    say(to, 401,
        "a token is required: send it as a bearer token, or as the password of "
        "basic authentication");
    return false;
  }
  return true;
}

void view_pages::page(const request&, response& to) {
  auto nonce = draw_nonce();
  set_page_policy(to, nonce);
  to.set_content(page_with(nonce), "text/html; charset=utf-8");
}

void view_pages::events(const request&, response& to) {
  auto seat = viewers_.seat();
  if (seat == nullptr)
    return say(to, 503,
               "the maximum of " + std::to_string(viewers_.most())
                 + " viewers is reached: close a page, or raise most_viewers");
  to.set_chunked_content_provider(
    "text/event-stream",
    [this, seat = std::move(seat),
     last = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable {
      return send_next(sink, last);
    });
}

/// Waits for what is new, and sends it. Whether there will be more.
bool view_pages::send_next(httplib::DataSink& to, std::uint64_t& last) {
  auto next = sampler_.look();
  while (next->number == last) {
    if (end_.comes_until(next->at + sampler::period))
      return false;
    next = sampler_.look();
  }
  last = next->number;
  auto text = "data: {\"state\":" + next->pools + ",\"recent\":" + next->recent
              + "}\n\n";
  return to.write(text.data(), text.size());
}

void view_pages::pools(const request&, response& to) {
  to.set_content(sampler_.look()->pools, "application/json");
}

void view_pages::recent(const request&, response& to) {
  to.set_content(sampler_.recent(), "application/json");
}

std::shared_ptr<watched_pool> view_pages::asked_pool(const request& of,
                                                     response& to) {
  auto name = of.get_param_value("pool");
  auto all = shown_.pools();
  if (name.empty() && all.size() == 1)
    return all.front();
  if (auto found = shown_.pool(name))
    return found;
  if (name.empty() && !all.empty())
    say(to, 400, "the server shows several pools: choose one with ?pool=NAME");
  else
    say(to, 404, "the server shows no pool '" + name + "'");
  return nullptr;
}

void view_pages::trace(const request& of, response& to) {
  auto time = asked_time(of, to);
  auto pool = time ? asked_pool(of, to) : nullptr;
  if (pool == nullptr)
    return;
  to.set_header("Content-Disposition", "attachment; filename=\"trace.json\"");
  stream(to, "application/json", trace_of(*pool, *time));
}

void view_pages::gantt(const request& of, response& to) {
  auto time = asked_time(of, to);
  auto pool = time ? asked_pool(of, to) : nullptr;
  if (pool == nullptr)
    return;
  set_picture_policy(to);
  stream(to, "image/svg+xml", gantt_of(*pool, *time));
}

void view_pages::guide(const request&, response& to) {
  to.set_content(guide_page(), "text/html; charset=utf-8");
}

void view_pages::metrics(const request&, response& to) {
  if (auto text = metrics_.text())
    to.set_content(*text, "text/plain; version=0.0.4; charset=utf-8");
  else
    say(to, 404,
        "this program has no metrics: libpool was built without the component "
        "metrics, which requires prometheus-cpp");
}

void view_pages::control(const request& of, response& to) {
  auto command = command_in(of.path.substr(pools_path.size()));
  if (command.what == pool_command::none || !access_.allows_control())
    return say(to, 404,
               command.what == pool_command::none
                 ? "the server has no page at this address"
                 : "draining and resizing of pools is disabled: set a control "
                   "token to allow that");
  if (of.method != "POST")
    return refuse_method(to, "POST");
  if (!access_.may_control(of))
    return say(to, 403,
               "the control token is required: send it as a bearer token");
  auto pool = shown_.pool(command.pool);
  if (pool == nullptr)
    return say(to, 404, "the server shows no pool '" + command.pool + "'");
  carry_out(command, *pool, of, to);
}

} // namespace libpool::live
