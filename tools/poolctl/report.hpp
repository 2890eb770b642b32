/// JSON of a live view as text for people.

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace poolctl {

using json = nlohmann::ordered_json;

/// Returns the text; in quotes and with escapes if it has characters that could
/// change a terminal.
std::string printable(const std::string& text);

/// Returns all that the server says about its pools and pipelines.
std::string report_of_server(const json& server);

/// Returns all that the server says about the pool: problems, figures, workers,
/// flows, nodes and limits.
std::string report_of_pool(const json& pool);

/// Returns the limits that hold back tasks.
std::string report_of_limits(const json& limits);

/// Returns a row for each failed message of a durable queue.
std::string report_of_failed(const json& messages);

/// Returns what is known of a failed message.
std::string report_of_failed_message(const json& message);

/// Returns a row for each pool, and the problems of all pools.
std::string overview_of(const json& pools);

} // namespace poolctl
