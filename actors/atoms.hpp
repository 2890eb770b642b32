#pragma once

#include "libpool/actors/caf/port/atoms.hpp"

/// Atoms in messages to pools and pipelines, in addition to the atoms of CAF.
/// Each atom is a type; for example, `stats_atom{}` is the value of
/// `stats_atom`.
///
/// - ('SYS', `stats_atom`): a managed pool answers with its `pool_stats`, a
///   pipeline with its `pipeline_stats`.
/// - ('SYS', `resize_atom`, n): sets the number of workers of a managed pool to
///   n.
/// - ('SYS', `drain_atom`): makes a managed pool or a pipeline stop accepting
///   messages and end when all accepted messages are settled.
/// - ('SYS', `idle_atom`): a managed pool answers, with an empty message, when
///   all accepted messages are settled.
/// - ('SYS', `cancel_atom`, selection): cancels messages of a managed pool or
///   items of a pipeline. The answer is `cancel_counts`.
/// - ('SYS', `pause_atom`, scope): pauses a managed pool, or a part of it; no
///   scope: the pool. The answer is empty, and comes when nothing runs.
/// - ('SYS', `resume_atom`, scope): ends the pause.
/// - ('SYS', `pull_atom`): request of a pipeline to an actor for one more item.
///   The answer is the item; `end_atom{}` or an empty message if no items are
///   left.
