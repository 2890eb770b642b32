#pragma once

#include "libpool/actors/caf/port/atoms.hpp"

/// The atoms that pools and pipelines understand, besides those of CAF; each
/// one is a type, `stats_atom{}` is its value.
///
/// - ('SYS', `stats_atom`): a managed pool answers with its `pool_stats`, a
///   pipeline with its `pipeline_stats`.
/// - ('SYS', `resize_atom`, n): a managed pool is to have n workers.
/// - ('SYS', `drain_atom`): a managed pool, or a pipeline, is to take no more,
///   and to end when all is done.
/// - ('SYS', `pull_atom`): a pipeline asks an actor for one item more. The
///   answer is the item; or `end_atom{}`, or nothing, if there are no more.
