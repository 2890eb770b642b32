/// What all answers of a view have in common.

#pragma once

#include <httplib.h>

#include <functional>
#include <iosfwd>
#include <string>

namespace libpool::live {

/// Nothing is kept, loaded from elsewhere, or shown in a frame of another page.
void set_usual_headers(httplib::Response& to);

/// The page may run the one script that carries this number.
void set_page_policy(httplib::Response& to, const std::string& nonce);

/// A picture may have styles, and nothing that runs.
void set_picture_policy(httplib::Response& to);

/// Answers with a sentence.
void say(httplib::Response& to, int status, const std::string& sentence);

void refuse_method(httplib::Response& to, const std::string& allowed);

/// Answers with what `write` writes, as it is written.
void stream(httplib::Response& to, const std::string& type,
            std::function<void(std::ostream&)> write);

} // namespace libpool::live
