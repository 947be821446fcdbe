// The step of the dynamic program over beats and periods that takes most of its time.
#ifndef NOCTURNE_BEAT_PATH_H
#define NOCTURNE_BEAT_PATH_H

#include <stddef.h>
#include <stdint.h>

enum { CBEATPATH_LANES = 8, CBEATPATH_REACH = 4, CBEATPATH_PERIODS = 256 };

/// For each period, the best score of any period after the cost of the change, and which period that was.
///
/// A change costs as much as the steps between, or, to one of the `CBEATPATH_REACH` neighbors on either side, what is less.
///
/// - `count`: of periods, at most `CBEATPATH_PERIODS`.
/// - `padded`: the next multiple of `CBEATPATH_LANES`.
/// - `scores`: one for each period; before and behind them, and behind the padding, stand as many more as the reach.
/// - `steps`: for each period, what the step from the one before costs.
/// - `costs`: for each neighbor, from the one farthest below, a row of `padded` costs, one for each period.
/// - `changed`, `origins`: `padded` ones; what is behind `count` means nothing.
void cbeatpath_change(
    const float *scores, ptrdiff_t count, ptrdiff_t padded, const float *steps, const float *costs, float *changed,
    int32_t *origins);

#endif
