#include "libpool/live/reply.hpp"

#include <utility>

namespace libpool::live {

namespace {

/// httplib adds headers, where one is to be replaced.
void set(httplib::Response& to, const std::string& name,
         const std::string& value) {
  to.headers.erase(name);
  to.set_header(name, value);
}

constexpr auto policy = "Content-Security-Policy";

} // namespace

void set_usual_headers(httplib::Response& to) {
  set(to, "Cache-Control", "no-store");
  set(to, "X-Content-Type-Options", "nosniff");
  set(to, "Referrer-Policy", "no-referrer");
  set(to, "Cross-Origin-Resource-Policy", "same-origin");
  set(to, policy, "default-src 'none'; frame-ancestors 'none'");
}

void set_page_policy(httplib::Response& to, const std::string& nonce) {
  set(to, policy,
      "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-"
        + nonce
        + "'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'");
}

void set_picture_policy(httplib::Response& to) {
  set(to, policy,
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
}

void say(httplib::Response& to, int status, const std::string& sentence) {
  to.status = status;
  to.set_content(sentence + '\n', "text/plain; charset=utf-8");
}

void refuse_method(httplib::Response& to, const std::string& allowed) {
  to.set_header("Allow", allowed);
  say(to, 405, "this address accepts only " + allowed);
}

void stream(httplib::Response& to, const std::string& type,
            std::function<void(std::ostream&)> write) {
  to.set_chunked_content_provider(
    type, [write = std::move(write)](std::size_t, httplib::DataSink& sink) {
      write(sink.os);
      sink.done();
      return true;
    });
}

} // namespace libpool::live
