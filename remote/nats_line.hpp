#pragma once

#include "libpool/nodes/transport.hpp"
#include "libpool/remote/nats_options.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// Subjects of one end of a line through NATS.
struct nats_subjects {
  /// Subject of the messages for this end. For a pool, it ends with ".>", which
  /// stands for the name of the sender.
  std::string in;
  /// Subject of the messages of this end. For a pool, the name of the receiver
  /// follows after a dot.
  std::string out;
};

/// Subjects of the pool towards its nodes.
nats_subjects subjects_for_nodes(const nats_options& by,
                                 const std::string& pool);

/// Subjects of a run of a node towards the pool.
nats_subjects subjects_of_node(const nats_options& by, const std::string& pool,
                               const std::string& node, std::uint64_t run);

/// Subjects of the pool towards its clients.
nats_subjects subjects_for_clients(const nats_options& by,
                                   const std::string& pool);

/// Subjects of a run of a client towards the pool.
nats_subjects subjects_of_client(const nats_options& by,
                                 const std::string& pool,
                                 const std::string& client, std::uint64_t run);

/// Returns the name as one token of a subject: letters, digits and '-' stay,
/// other bytes are written as '_' and two hexadecimal digits.
std::string nats_token(const std::string& name);

/// Opens a connection of its own to a NATS server, which is renewed whenever it
/// is lost or refused. The user's functions are called in threads of the NATS
/// library, and in one of its own.
///
/// Errors: std::runtime_error if the options cannot be used. If no server can
///         be reached, this is reported by `went_down`, and tried again.
std::shared_ptr<transport> open_nats_line(const nats_options& by,
                                          const nats_subjects& at,
                                          std::shared_ptr<transport_user> user);

} // namespace libpool
