#pragma once

#include "libpool/nodes/nats_options.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// Subjects of one end of a line through NATS.
struct nats_subjects {
  /// Subject of the messages to this end. For a pool, the subject ends with
  /// ".>", which stands for the name of the sender.
  std::string in;
  /// Subject to which this end sends. If this end is the pool, a dot and the
  /// name of the receiver are appended.
  std::string out;
};

/// Returns the subjects of the pool for messages from and to its nodes.
nats_subjects subjects_for_nodes(const nats_options& options,
                                 const std::string& pool);

/// Returns the subjects of a node for messages from and to the pool. `run`
/// identifies the run of the node's program.
nats_subjects subjects_of_node(const nats_options& options,
                               const std::string& pool, const std::string& node,
                               std::uint64_t run);

/// Returns the subjects of the pool for messages from and to its clients.
nats_subjects subjects_for_clients(const nats_options& options,
                                   const std::string& pool);

/// Returns the subjects of a client for messages from and to the pool. `run`
/// identifies the run of the client's program.
nats_subjects subjects_of_client(const nats_options& options,
                                 const std::string& pool,
                                 const std::string& client, std::uint64_t run);

/// Returns the name as one token of a subject: letters, digits and '-' stay,
/// other bytes are written as '_' and two hexadecimal digits.
std::string nats_token(const std::string& name);

/// Opens a transport with its own connection to a NATS server. The connection
/// is renewed whenever it is lost or refused. The functions of `user` are
/// called in threads of the NATS library, and in a thread of the transport.
///
/// Errors: std::runtime_error if the options cannot be used. If no server can
///         be reached, the transport calls `went_down`, and tries again.
std::shared_ptr<transport> open_nats_line(const nats_options& options,
                                          const nats_subjects& subjects,
                                          std::shared_ptr<transport_user> user);

} // namespace libpool
