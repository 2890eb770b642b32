#include "libpool/observability/live/view_pages.hpp"

#include "libpool/observability/live/failed_json.hpp"
#include "libpool/observability/live/page.hpp"
#include "libpool/observability/live/pictures.hpp"
#include "libpool/observability/live/pool_command.hpp"

#include <array>
#include <string_view>

namespace libpool::live {

namespace {

/// Whether a browser sends the request for a page of another site, unless the
/// user has followed a link.
bool is_for_another_page(const request& asked) {
  return asked.fetch_site == "cross-site" && asked.fetch_mode != "navigate";
}

bool only_reads(const request& asked) {
  return asked.method == "GET" || asked.method == "HEAD";
}

constexpr std::string_view pools_path = "/api/v1/pools/";

/// A trace of all runs that are kept takes 55 MB.
constexpr std::size_t most_downloads = 4;

} // namespace

view_pages::view_pages(const live_options& options, watched& shown,
                       exposition& metrics)
  : access_(options),
    shown_(shown),
    metrics_(metrics),
    viewers_(options.most_viewers),
    downloads_(most_downloads),
    sampler_(shown) {
  // nop
}

const view_pages::address* view_pages::find(const std::string& path) {
  static constexpr std::array<address, 9> addresses{
    {{"/", &view_pages::page},
     {"/events", &view_pages::events},
     {"/api/v1/pools", &view_pages::pools},
     {"/api/v1/recent", &view_pages::recent},
     {"/trace", &view_pages::trace},
     {"/gantt.svg", &view_pages::gantt},
     {"/api/v1/failed", &view_pages::failed},
     {"/guide", &view_pages::guide},
     {"/metrics", &view_pages::metrics}}};
  for (const auto& each : addresses)
    if (path == each.path)
      return &each;
  return nullptr;
}

reply view_pages::operator()(const request& request) {
  reply result;
  if (lets_in(request, result))
    answer_to(request, result);
  return result;
}

void view_pages::keep() {
  if (viewers_.taken() == 0)
    sampler_.keep();
}

void view_pages::answer_to(const request& request, reply& reply) {
  if (request.path.rfind(pools_path, 0) == 0)
    return control(request, reply);
  const auto* found = find(request.path);
  if (found == nullptr)
    return reply.say(404, "the server has no page at this address");
  if (!only_reads(request))
    return reply.refuse_method("GET, HEAD");
  (this->*found->handler)(request, reply);
}

bool view_pages::lets_in(const request& request, reply& reply) const {
  if (!access_.is_for(request)) {
    reply.say(
      403,
      "the request names another host: use 127.0.0.1 or localhost, and the "
      "port of this server");
    return false;
  }
  if (is_for_another_page(request)) {
    reply.say(403, "requests from pages of other sites are not allowed");
    return false;
  }
  if (!access_.may_look(request)) {
    reply.headers["WWW-Authenticate"] = "Basic realm=\"libpool\"";
    reply.say(
      401,
      "a token is required: send it as a bearer token, or as the password of "
      "basic authentication");
    return false;
  }
  return true;
}

void view_pages::page(const request&, reply& reply) {
  auto nonce = draw_nonce();
  reply.set_page_policy(nonce);
  reply.set_content(page_with(nonce), "text/html; charset=utf-8");
}

void view_pages::events(const request& request, reply& reply) {
  reply.seat = viewers_.take();
  if (reply.seat == nullptr)
    return reply.say(
      503, "the maximum of " + std::to_string(viewers_.most())
             + " viewers is reached: close a page, or raise most_viewers");
  reply.set_content({}, "text/event-stream");
  reply.next = [this, request] { return next_event(request); };
}

reply_part view_pages::next_event(const request& request) {
  auto state = state_for(request);
  const auto& seen = sampler_.look();
  return {"data: {\"state\":" + state + ",\"recent\":" + seen.recent + "}\n\n",
          seen.at + sampler::period};
}

/// Returns the state of the pools, and whether the client may change pools.
std::string view_pages::state_for(const request& request) {
  const auto* control = !access_.allows_control()      ? "off"
                        : access_.may_control(request) ? "open"
                                                       : "locked";
  return std::string{"{\"control\":\""} + control + "\","
         + sampler_.look().pools.substr(1);
}

void view_pages::pools(const request& request, reply& reply) {
  reply.set_content(state_for(request), "application/json");
}

void view_pages::recent(const request&, reply& reply) {
  reply.set_content(sampler_.recent(), "application/json");
}

std::shared_ptr<watched_pool> view_pages::asked_pool(const request& request,
                                                     reply& reply) {
  auto name = request.parameter("pool");
  auto all = shown_.pools();
  if (name.empty() && all.size() == 1)
    return all.front();
  if (auto found = shown_.pool(name))
    return found;
  if (name.empty() && !all.empty())
    reply.say(400,
              "the server shows several pools: choose one with ?pool=NAME");
  else
    reply.say(404, "the server shows no pool '" + name + "'");
  return nullptr;
}

std::shared_ptr<watched_pool> view_pages::pool_to_send(const request& request,
                                                       reply& reply) {
  reply.seat = downloads_.take();
  if (reply.seat != nullptr)
    return asked_pool(request, reply);
  reply.say(503, "other traces and pictures are being sent: try again later");
  return nullptr;
}

void view_pages::trace(const request& request, reply& reply) {
  auto time = asked_time(request, reply);
  auto pool = time ? pool_to_send(request, reply) : nullptr;
  if (pool == nullptr)
    return;
  reply.headers["Content-Disposition"] = "attachment; filename=\"trace.json\"";
  reply.set_content(trace_of(*pool, *time), "application/json");
}

void view_pages::gantt(const request& request, reply& reply) {
  auto time = asked_time(request, reply);
  auto pool = time ? pool_to_send(request, reply) : nullptr;
  if (pool == nullptr)
    return;
  reply.set_picture_policy();
  reply.set_content(gantt_of(*pool, *time), "image/svg+xml");
}

void view_pages::guide(const request&, reply& reply) {
  auto nonce = draw_nonce();
  reply.set_page_policy(nonce);
  reply.set_content(guide_with(nonce), "text/html; charset=utf-8");
}

void view_pages::metrics(const request&, reply& reply) {
  if (auto text = metrics_.text())
    reply.set_content(*text, "text/plain; version=0.0.4; charset=utf-8");
  else
    reply.say(
      404,
      "this program has no metrics: libpool was built without the component "
      "metrics, which requires prometheus-cpp");
}

void view_pages::failed(const request& request, reply& reply) {
  if (auto pool = asked_pool(request, reply))
    list_failed(*pool, request, reply);
}

void view_pages::control(const request& request, reply& reply) {
  auto command = command_in(request.path.substr(pools_path.size()));
  if (command.what == pool_command::none || !access_.allows_control())
    return reply.say(404, command.what == pool_command::none
                            ? "the server has no page at this address"
                            : "changing pools is disabled: set a control "
                              "token to allow that");
  if (request.method != "POST")
    return reply.refuse_method("POST");
  if (!access_.may_control(request))
    return reply.say(
      403, "the control token is required: send it as a bearer token");
  auto pool = shown_.pool(command.pool);
  if (pool == nullptr)
    return reply.say(404, "the server shows no pool '" + command.pool + "'");
  carry_out(command, *pool, request, reply);
}

} // namespace libpool::live
