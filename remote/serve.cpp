#include "libpool/remote/serve.hpp"

#include "libpool/actors/distributed.hpp"
#include "libpool/remote/nats_line.hpp"

#include <stdexcept>
#include <utility>

namespace libpool {

void serve(const caf::actor& pool, const std::string& name,
           const nats_options& by) {
  check(by);
  if (name.empty())
    throw std::invalid_argument("libpool: serve: name must not be empty");
  auto open = [&](std::shared_ptr<transport_user> user) {
    return open_nats_line(by, subjects_for_nodes(by, name), std::move(user));
  };
  detail::serve_nodes(pool, open);
}

} // namespace libpool
