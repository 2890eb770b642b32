/// Common parts of all answers of a view.

#pragma once

#include <httplib.h>

#include <functional>
#include <iosfwd>
#include <string>

namespace libpool::live {

/// Sets headers by which nothing is cached, loaded from elsewhere, or shown in
/// a frame of another page.
void set_usual_headers(httplib::Response& to);

/// Allows the page to run only the script with the nonce.
void set_page_policy(httplib::Response& to, const std::string& nonce);

/// Allows a picture to have styles, but no scripts.
void set_picture_policy(httplib::Response& to);

/// Answers with a sentence.
void say(httplib::Response& to, int status, const std::string& sentence);

void refuse_method(httplib::Response& to, const std::string& allowed);

/// Answers with the output of `write`, while it is written.
void stream(httplib::Response& to, const std::string& type,
            std::function<void(std::ostream&)> write);

} // namespace libpool::live
