#include "libpool/observability/live/reply.hpp"

#include <utility>

namespace libpool::live {

namespace {

constexpr auto policy = "Content-Security-Policy";

} // namespace

reply::reply()
  : headers{{"Cache-Control", "no-store"},
            {"X-Content-Type-Options", "nosniff"},
            {"Referrer-Policy", "no-referrer"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {policy, "default-src 'none'; frame-ancestors 'none'"}} {
  // nop
}

void reply::set_content(std::string content, const std::string& type) {
  body = std::move(content);
  headers["Content-Type"] = type;
}

void reply::set_page_policy(const std::string& nonce) {
  headers[policy] = "default-src 'none'; script-src 'nonce-" + nonce
                    + "'; style-src 'nonce-" + nonce
                    + "'; connect-src 'self'; img-src 'self' data:; base-uri "
                      "'none'; form-action 'none'; frame-ancestors 'none'";
}

void reply::set_picture_policy() {
  headers[policy] = "default-src 'none'; style-src 'unsafe-inline'; "
                    "frame-ancestors 'none'";
}

void reply::say(int with_status, const std::string& sentence) {
  status = with_status;
  set_content(sentence + '\n', "text/plain; charset=utf-8");
}

void reply::refuse_method(const std::string& allowed) {
  headers["Allow"] = allowed;
  say(405, "this address accepts only " + allowed);
}

} // namespace libpool::live
