#include "demand.hpp"

#include "text.hpp"

#include <fmt/format.h>

namespace tenants {

std::string text_of(const demand& demand) {
  auto work = short_text_of(demand.shortest);
  if (demand.longest != demand.shortest)
    work += " to " + short_text_of(demand.longest);
  if (demand.outstanding > 0)
    return fmt::format("{} outstanding, {}", demand.outstanding, work);
  return "every " + short_text_of(demand.gap) + ", " + work;
}

} // namespace tenants
