#pragma once

#include "libpool/actors/caf/port/atoms.hpp"

/// Atoms that pools and pipelines understand, in addition to those of CAF. Each
/// atom is a type; `stats_atom{}` is its value.
///
/// - ('SYS', `stats_atom`): a managed pool answers with its `pool_stats`, a
///   pipeline with its `pipeline_stats`.
/// - ('SYS', `resize_atom`, n): makes a managed pool have n workers.
/// - ('SYS', `drain_atom`): makes a managed pool or a pipeline stop accepting
///   messages and end when all work is done.
/// - ('SYS', `pull_atom`): a pipeline requests one more item from an actor. The
///   answer is the item; `end_atom{}` or nothing if there are no more items.
