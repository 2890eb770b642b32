#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/error.hpp>
#include <caf/rtti_pair.hpp>
#include <caf/sec.hpp>
#include <caf/type_erased_value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool {

/// The content of a message that is kept, as a handler sees it: CAF copies
/// shared content for a handler that changes its arguments.
class shared_content final : public message_content {
public:
  /// Shows `content` from now on.
  message_content& show(message_content& content) noexcept {
    content_ = &content;
    return *this;
  }

  void* get_mutable(std::size_t pos) override {
    return content_->get_mutable(pos);
  }

  caf::error load(std::size_t, caf::deserializer&) override {
    return caf::sec::runtime_error; // it is read only
  }

  std::size_t size() const noexcept override {
    return content_->size();
  }

  std::uint32_t type_token() const noexcept override {
    return content_->type_token();
  }

  caf::rtti_pair type(std::size_t pos) const noexcept override {
    return content_->type(pos);
  }

  const void* get(std::size_t pos) const noexcept override {
    return content_->get(pos);
  }

  std::string stringify(std::size_t pos) const override {
    return content_->stringify(pos);
  }

  caf::type_erased_value_ptr copy(std::size_t pos) const override {
    return content_->copy(pos);
  }

  caf::error save(std::size_t pos, caf::serializer& sink) const override {
    return content_->save(pos, sink);
  }

  bool shared() const noexcept override {
    return true;
  }

private:
  message_content* content_ = nullptr;
};

} // namespace libpool
