#include "libpool/policies/order/make_fair_queuing.hpp"

#include "libpool/policies/order/exact_fair_queuing.hpp"
#include "libpool/policies/order/kubernetes_fair_queuing.hpp"

namespace libpool {

std::unique_ptr<order> make_fair_queuing(const fair_queuing_options& options) {
  if (options.mode == fair_mode::kubernetes)
    return std::make_unique<kubernetes_fair_queuing>(options);
  return std::make_unique<exact_fair_queuing>(options);
}

} // namespace libpool
