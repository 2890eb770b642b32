#include "document.hpp"

#include "element.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace poolsim {

namespace {

using nlohmann::json;

/// The library's words, without its name and number for them.
std::string reason_of(const json::exception& error) {
  std::string text{error.what()};
  auto end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

/// Goes over a text and remembers where it is, so that it can say where the
/// text breaks. The library's parser cannot, and takes the last of several
/// values of one key.
class proofreader final : public json::json_sax_t {
public:
  bool null() override {
    return pass();
  }

  bool boolean(bool) override {
    return pass();
  }

  bool number_integer(number_integer_t) override {
    return pass();
  }

  bool number_unsigned(number_unsigned_t) override {
    return pass();
  }

  bool number_float(number_float_t, const string_t&) override {
    return pass();
  }

  bool string(string_t&) override {
    return pass();
  }

  bool binary(binary_t&) override {
    return pass();
  }

  bool start_object(std::size_t) override {
    open_.emplace_back().is_object = true;
    return true;
  }

  bool start_array(std::size_t) override {
    open_.emplace_back();
    return true;
  }

  bool key(string_t& name) override {
    auto& here = open_.back();
    auto [i, is_new] = here.keys.insert(name);
    here.key = &*i;
    if (!is_new)
      throw invalid_scenario(path() + ": is given twice");
    return true;
  }

  bool end_object() override {
    return end();
  }

  bool end_array() override {
    return end();
  }

  bool parse_error(std::size_t, const std::string&,
                   const json::exception& error) override {
    throw invalid_scenario(path() + ": " + reason_of(error));
  }

private:
  /// An object or a list that has not ended.
  struct level {
    bool is_object = false;
    std::set<std::string> keys;
    const std::string* key = nullptr;
    std::size_t index = 0;
  };

  bool pass() {
    if (!open_.empty())
      ++open_.back().index;
    return true;
  }

  bool end() {
    open_.pop_back();
    return pass();
  }

  std::string path() const {
    std::string result;
    for (const auto& each : open_)
      if (!each.is_object)
        result += "/" + std::to_string(each.index);
      else if (each.key != nullptr)
        result += "/" + escaped_key(*each.key);
    return result.empty() ? "/" : result;
  }

  std::vector<level> open_;
};

} // namespace

json document_of(std::string_view text) {
  proofreader reader;
  json::sax_parse(text, &reader);
  return json::parse(text);
}

} // namespace poolsim
