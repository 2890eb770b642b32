#include "job_queue.hpp"

namespace durable {

job_queue::~job_queue() = default;

} // namespace durable
