#include "demand.hpp"

#include "text.hpp"

namespace tenants {

std::string text_of(const demand& what) {
  auto work = short_text_of(what.shortest);
  if (what.longest != what.shortest)
    work += " to " + short_text_of(what.longest);
  if (what.outstanding > 0)
    return std::to_string(what.outstanding) + " outstanding, " + work;
  return "every " + short_text_of(what.gap) + ", " + work;
}

} // namespace tenants
