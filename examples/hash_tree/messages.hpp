#pragma once

#include "sha256.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hash_tree {

/// A file to hash. The number comes back with the digest. The size, as it was
/// when the file was found, says how much work to expect: workers do without
/// it, it is there for policies.
struct file_task {
  std::uint64_t number = 0;
  std::string path;
  std::uint64_t size = 0;
};

/// The request to a hasher: a big file, several small neighbours, or many files
/// where the policy splits requests.
struct batch {
  std::uint64_t id = 0;
  std::vector<file_task> files;
};

/// The result of one file of a batch.
struct outcome {
  std::uint64_t number = 0;
  digest value{};
  std::uint64_t size = 0;
  /// 0, or an errno.
  std::int32_t error = 0;
};

/// A hasher's answer. That a file cannot be read is a result like any other.
struct outcomes {
  std::vector<outcome> files;
};

/// Tells the driver that one of the workers that all hash a batch is through
/// with it. Where a batch has one worker, its answer says that.
using finished_atom = caf::atom_constant<caf::atom("finished")>;

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, file_task& x) {
  return f(caf::meta::type_name("file_task"), x.number, x.path, x.size);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, batch& x) {
  return f(caf::meta::type_name("batch"), x.id, x.files);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, outcome& x) {
  return f(caf::meta::type_name("outcome"), x.number, x.value, x.size, x.error);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, outcomes& x) {
  return f(caf::meta::type_name("outcomes"), x.files);
}

} // namespace hash_tree

CAF_BEGIN_TYPE_ID_BLOCK(hash_tree, first_custom_type_id)

CAF_ADD_TYPE_ID(hash_tree, (hash_tree::batch))
CAF_ADD_TYPE_ID(hash_tree, (hash_tree::outcomes))

CAF_END_TYPE_ID_BLOCK(hash_tree)
