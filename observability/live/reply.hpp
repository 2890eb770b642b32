#pragma once

#include "libpool/core/instant.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace libpool::live {

/// Part of an endless reply.
struct reply_part {
  std::string text;
  /// Time at which the next part is due.
  instant next{};
};

/// Reply to a request. By default, the headers forbid caching, loading of data
/// from other servers, and use by pages of other sites.
struct reply {
  reply();

  void set_content(std::string content, const std::string& type);

  /// Allows the page to run only the script with the nonce.
  void set_page_policy(const std::string& nonce);

  /// Allows a picture to have styles, but no scripts.
  void set_picture_policy();

  /// Answers with a sentence.
  void say(int with_status, const std::string& sentence);

  void refuse_method(const std::string& allowed);

  int status = 200;
  std::map<std::string, std::string> headers;
  std::string body;
  /// Function that returns the next part of an endless reply; empty for other
  /// replies.
  std::function<reply_part()> next;
  /// Seat to be kept until the reply is sent; may be empty.
  std::shared_ptr<void> seat;
};

} // namespace libpool::live
