#include "libpool/observability/live/view_pages.hpp"

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

reply view_pages::operator()(const request& of) {
  reply result;
  if (lets_in(of, result))
    answer_to(of, result);
  return result;
}

void view_pages::keep() {
  if (viewers_.taken() == 0)
    sampler_.keep();
}

void view_pages::answer_to(const request& of, reply& to) {
  if (of.path.rfind(pools_path, 0) == 0)
    return control(of, to);
  const auto* found = find(of.path);
  if (found == nullptr)
    return to.say(404, "the server has no page at this address");
  if (!only_reads(of))
    return to.refuse_method("GET, HEAD");
  (this->*found->how)(of, to);
}

bool view_pages::lets_in(const request& of, reply& to) const {
  if (!access_.is_for(of)) {
    to.say(
      403,
      "the request names another host: use 127.0.0.1 or localhost, and the "
      "port of this server");
    return false;
  }
  if (is_for_another_page(of)) {
    to.say(403, "requests from pages of other sites are not allowed");
    return false;
  }
  if (!access_.may_look(of)) {
    to.headers["WWW-Authenticate"] = "Basic realm=\"libpool\"";
    to.say(
      401,
      "a token is required: send it as a bearer token, or as the password of "
      "basic authentication");
    return false;
  }
  return true;
}

void view_pages::page(const request&, reply& to) {
  auto nonce = draw_nonce();
  to.set_page_policy(nonce);
  to.set_content(page_with(nonce), "text/html; charset=utf-8");
}

void view_pages::events(const request& of, reply& to) {
  to.seat = viewers_.take();
  if (to.seat == nullptr)
    return to.say(
      503, "the maximum of " + std::to_string(viewers_.most())
             + " viewers is reached: close a page, or raise most_viewers");
  to.set_content({}, "text/event-stream");
  to.next = [this, of] { return next_event(of); };
}

reply_part view_pages::next_event(const request& of) {
  auto state = state_for(of);
  const auto& seen = sampler_.look();
  return {"data: {\"state\":" + state + ",\"recent\":" + seen.recent + "}\n\n",
          seen.at + sampler::period};
}

/// Returns the state of the pools, and whether the client may change pools.
std::string view_pages::state_for(const request& of) {
  const auto* control = !access_.allows_control() ? "off"
                        : access_.may_control(of) ? "open"
                                                  : "locked";
  return std::string{"{\"control\":\""} + control + "\","
         + sampler_.look().pools.substr(1);
}

void view_pages::pools(const request& of, reply& to) {
  to.set_content(state_for(of), "application/json");
}

void view_pages::recent(const request&, reply& to) {
  to.set_content(sampler_.recent(), "application/json");
}

std::shared_ptr<watched_pool> view_pages::asked_pool(const request& of,
                                                     reply& to) {
  auto name = of.parameter("pool");
  auto all = shown_.pools();
  if (name.empty() && all.size() == 1)
    return all.front();
  if (auto found = shown_.pool(name))
    return found;
  if (name.empty() && !all.empty())
    to.say(400, "the server shows several pools: choose one with ?pool=NAME");
  else
    to.say(404, "the server shows no pool '" + name + "'");
  return nullptr;
}

std::shared_ptr<watched_pool> view_pages::pool_to_send(const request& of,
                                                       reply& to) {
  to.seat = downloads_.take();
  if (to.seat != nullptr)
    return asked_pool(of, to);
  to.say(503, "other traces and pictures are being sent: try again later");
  return nullptr;
}

void view_pages::trace(const request& of, reply& to) {
  auto time = asked_time(of, to);
  auto pool = time ? pool_to_send(of, to) : nullptr;
  if (pool == nullptr)
    return;
  to.headers["Content-Disposition"] = "attachment; filename=\"trace.json\"";
  to.set_content(trace_of(*pool, *time), "application/json");
}

void view_pages::gantt(const request& of, reply& to) {
  auto time = asked_time(of, to);
  auto pool = time ? pool_to_send(of, to) : nullptr;
  if (pool == nullptr)
    return;
  to.set_picture_policy();
  to.set_content(gantt_of(*pool, *time), "image/svg+xml");
}

void view_pages::guide(const request&, reply& to) {
  auto nonce = draw_nonce();
  to.set_page_policy(nonce);
  to.set_content(guide_with(nonce), "text/html; charset=utf-8");
}

void view_pages::metrics(const request&, reply& to) {
  if (auto text = metrics_.text())
    to.set_content(*text, "text/plain; version=0.0.4; charset=utf-8");
  else
    to.say(
      404,
      "this program has no metrics: libpool was built without the component "
      "metrics, which requires prometheus-cpp");
}

void view_pages::control(const request& of, reply& to) {
  auto command = command_in(of.path.substr(pools_path.size()));
  if (command.what == pool_command::none || !access_.allows_control())
    return to.say(404, command.what == pool_command::none
                         ? "the server has no page at this address"
                         : "changing pools is disabled: set a control "
                           "token to allow that");
  if (of.method != "POST")
    return to.refuse_method("POST");
  if (!access_.may_control(of))
    return to.say(403,
                  "the control token is required: send it as a bearer token");
  auto pool = shown_.pool(command.pool);
  if (pool == nullptr)
    return to.say(404, "the server shows no pool '" + command.pool + "'");
  carry_out(command, *pool, of, to);
}

} // namespace libpool::live
