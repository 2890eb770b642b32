#pragma once

#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"
#include "libpool/policies/order/kubernetes_fair_queuing.hpp"

#include <memory>

namespace test {

/// The order of the mode, whose virtual clock starts then.
inline std::unique_ptr<libpool::order>
fair_order(const libpool::fair_queuing_options& how,
           libpool::virtual_time start = {}) {
  if (how.mode == libpool::fair_mode::kubernetes)
    return std::make_unique<libpool::kubernetes_fair_queuing>(how, start);
  return std::make_unique<libpool::exact_fair_queuing>(how, start);
}

/// Options of the mode, a guess of one time unit, and defaults.
inline libpool::fair_queuing_options
guessing(libpool::duration guess,
         libpool::fair_mode mode = libpool::fair_mode::exact) {
  libpool::fair_queuing_options result;
  result.guess = guess;
  result.mode = mode;
  return result;
}

} // namespace test
