#include "libpool/actors/gathering.hpp"

#include <utility>

namespace libpool {

namespace {

/// Keeps the first result.
class first_joiner final : public joiner {
public:
  std::unique_ptr<joiner> clone() const override {
    return std::make_unique<first_joiner>(*this);
  }

  void join(caf::message& result) override {
    if (!std::exchange(came_, true))
      first_ = std::move(result);
  }

  caf::message joined() override {
    return std::move(first_);
  }

private:
  bool came_ = false;
  caf::message first_;
};

} // namespace

std::unique_ptr<joiner> make_first_joiner() {
  return std::make_unique<first_joiner>();
}

} // namespace libpool
