#pragma once

#include "sha256.hpp"

#include "libpool/actors/caf/port/inspection.hpp"

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

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, file_task& x) {
  return libpool::inspect_fields(
    f, x, "file_task", libpool::field{"number", x.number},
    libpool::field{"path", x.path}, libpool::field{"size", x.size});
}

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, batch& x) {
  return libpool::inspect_fields(f, x, "batch", libpool::field{"id", x.id},
                                 libpool::field{"files", x.files});
}

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, outcome& x) {
  return libpool::inspect_fields(
    f, x, "outcome", libpool::field{"number", x.number},
    libpool::field{"value", x.value}, libpool::field{"size", x.size},
    libpool::field{"error", x.error});
}

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, outcomes& x) {
  return libpool::inspect_fields(f, x, "outcomes",
                                 libpool::field{"files", x.files});
}

} // namespace hash_tree

CAF_BEGIN_TYPE_ID_BLOCK(hash_tree, first_custom_type_id)

CAF_ADD_TYPE_ID(hash_tree, (hash_tree::batch))
CAF_ADD_TYPE_ID(hash_tree, (hash_tree::outcomes))
/// Tells the driver that one of the workers that all hash a batch is through
/// with it. Where a batch has one worker, its answer says that.
CAF_ADD_ATOM(hash_tree, hash_tree, finished_atom, "finished")

CAF_END_TYPE_ID_BLOCK(hash_tree)
