// The step of the dynamic program over beats that takes most of its time.
#ifndef NOCTURNE_BEAT_PATH_H
#define NOCTURNE_BEAT_PATH_H

#include <stddef.h>
#include <stdint.h>

enum { CBEATPATH_LANES = 8, CBEATPATH_REACH = 4 };

/// For each period, the best score of it and of its neighbors up to `CBEATPATH_REACH` away after the cost of the change, where it
/// is better than what is there, and which period that was.
///
/// - `scores`: one for each period, with as many more before and behind them as the reach.
/// - `costs`: for each neighbor, from the one farthest below, a row with the cost for each period.
/// - `count`: of periods; a multiple of `CBEATPATH_LANES`.
/// - `best`, `origins`: one for each period.
void cbeatpath_compare_neighbors(
    const float *scores, const float *costs, ptrdiff_t count, float *best, int32_t *origins);

#endif
